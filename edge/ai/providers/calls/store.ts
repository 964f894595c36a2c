import { and, eq, inArray, isNull, lt, lte, or, type SQL, sql } from 'drizzle-orm'
import { orgs } from '#schema/tables/accounts/identity.ts'
import { aiBreakers, aiBudgets, aiCalls, aiEngines } from '#schema/tables/ai/providers.ts'
import { DAY, MINUTE } from '../../../platform/clock.ts'
import { batch } from '../../../platform/database/batch.ts'
import type { Db } from '../../../platform/database/database.ts'
import { insertSelect } from '../../../platform/database/insert-select.ts'
import { backoffSql } from '../../../platform/work/backoff.ts'
import { type DueRows, isAmongDue } from '../../../platform/work/due-rows.ts'
import {
	type BreakerEffect,
	breakerName,
	FIRST_OPEN_MS,
	MAX_FAILURES,
	MAX_OPEN_MS,
	PROBE_MS,
} from './breaker.ts'

export type CallRow = typeof aiCalls.$inferSelect
export type NewCall = Pick<
	CallRow,
	| 'id'
	| 'orgId'
	| 'provider'
	| 'payer'
	| 'model'
	| 'audioMs'
	| 'costMicros'
	| 'month'
	| 'language'
	| 'checkAt'
	| 'createdAt'
> &
	Partial<Pick<CallRow, 'subject' | 'epoch' | 'purpose' | 'tokens'>>
/** What is reserved for a call. */
export type Reserved = Pick<CallRow, 'id' | 'orgId' | 'provider' | 'payer' | 'audioMs' | 'costMicros'> &
	Partial<Pick<CallRow, 'purpose' | 'tokens'>>
type Limits = Pick<typeof aiBudgets.$inferSelect, 'maxAudioMs' | 'maxCostMicros' | 'maxTokens'>
type InstallationLimits = Limits & { maxTokensPerOrg: number | null }
/** On which terms a call is admitted. */
export type Terms = {
	isPriced: boolean
	/** The installation's monthly limits, for all organizations together and for each. */
	installation: InstallationLimits
	/** For a test, which may show that the breaker can close. */
	ignoresBreaker: boolean
}
type CallEnd = Pick<CallRow, 'status' | 'errorCode' | 'audioMs' | 'costMicros' | 'ms'> &
	Partial<Pick<CallRow, 'tokens'>>

const CHECKS = { firstMs: MINUTE, maxMs: DAY }

/** Returns the pseudo organization id of the row with the installation's sums. */
const installationName = (purpose: CallRow['purpose'] = 'transcription'): string =>
	purpose === 'language-model' ? `installation/${purpose}` : 'installation'

/** A literal, because SQLite uses the partial index only for an identical condition. */
export const isOpenStatus = sql`status in ('running', 'waiting')`
export const dueChecks: DueRows = { at: aiCalls.checkAt, isOpen: isOpenStatus }
export const isOpen = ({ status }: Pick<CallRow, 'status'>): boolean =>
	status === 'running' || status === 'waiting'
const isOpenCall = (id: string) => and(eq(aiCalls.id, id), isOpenStatus)
const isFree = (now: number) => or(isNull(aiCalls.takenUntil), lte(aiCalls.takenUntil, now))

/** Tokens and money that open calls of language models reserve. */
export type ReservedSums = Pick<typeof aiBudgets.$inferSelect, 'tokens' | 'costMicros'>
const NOTHING_RESERVED: ReservedSums = { tokens: 0, costMicros: 0 }

type BreakerOwner = Pick<Reserved, 'orgId' | 'provider' | 'purpose'>
const isBreaker = ({ orgId, provider, purpose }: BreakerOwner) =>
	and(eq(aiBreakers.orgId, orgId), eq(aiBreakers.provider, breakerName(provider, purpose)))

export const callStore = (db: Db) => ({
	/**
	 * Reserves audio, tokens and money for a call, and records it. Returns false if a limit is reached, a money limit
	 * lacks a price, or the breaker is open. A half-open breaker admits one call. If the clock is behind, the stored
	 * month applies.
	 */
	async reserve(call: NewCall, { isPriced, installation, ignoresBreaker }: Terms): Promise<boolean> {
		const { orgId, month, audioMs, costMicros, tokens = 0, createdAt: now } = call
		const isClosed = ignoresBreaker
			? sql``
			: sql`and not exists (
				select 1 from ${aiBreakers} where ${isBreaker(call)} and ${aiBreakers.openUntil} > ${now}
			)`
		const isPaidByInstallation = call.payer === 'installation'
		const hasRoom = isPaidByInstallation ? installationHasRoom(call, installation, isPriced) : sql``
		const isAdmitted = sql`exists (select 1 from ${orgs} where ${orgs.id} = ${orgId}) ${isClosed} ${hasRoom}`
		const isInserted = sql`exists (select 1 from ${aiCalls} where ${aiCalls.id} = ${call.id})`
		const sumWith = (column: SQL, more: number) =>
			sql`iif(${aiBudgets.month} >= ${month}, ${column}, 0) + ${more}`
		const audio = sumWith(sql`${aiBudgets.audioMs}`, audioMs)
		const cost = sumWith(sql`${aiBudgets.costMicros}`, costMicros)
		const tokenSum = sumWith(sql`${aiBudgets.tokens}`, tokens)
		const sums = {
			...{ month: sql`max(${aiBudgets.month}, ${month})`, audioMs: audio, costMicros: cost },
			tokens: tokenSum,
		}
		const { callInserted } = await batch(db, {
			budgetReserved: insertSelect(
				db,
				aiBudgets,
				{ orgId, month, audioMs, costMicros, tokens, updatedAt: now },
				sql`where ${isAdmitted}`,
			).onConflictDoUpdate({
				target: aiBudgets.orgId,
				set: sums,
				setWhere: sql`
					${audio} <= coalesce(${aiBudgets.maxAudioMs}, ${Number.MAX_SAFE_INTEGER})
					and ${tokenSum} <= coalesce(${aiBudgets.maxTokens}, ${Number.MAX_SAFE_INTEGER})
					and ${
						isPriced
							? sql`${cost} <= coalesce(${aiBudgets.maxCostMicros}, ${Number.MAX_SAFE_INTEGER})`
							: sql`${aiBudgets.maxCostMicros} is null`
					}
				`,
			}),
			callInserted: insertSelect(
				db,
				aiCalls,
				{
					...{ ...call, status: 'running' },
					month: sql`(select month from ai_budgets where org_id = ${orgId})`,
				},
				sql`where changes() > 0`,
			).returning({ id: aiCalls.id }),
			installationReserved: isPaidByInstallation
				? insertSelect(
						db,
						aiBudgets,
						{ orgId: installationName(call.purpose), month, audioMs, costMicros, tokens, updatedAt: now },
						sql`where ${isInserted}`,
					).onConflictDoUpdate({ target: aiBudgets.orgId, set: sums })
				: null,
			probeStarted: ignoresBreaker
				? null
				: db
						.update(aiBreakers)
						.set({ openUntil: now + PROBE_MS })
						.where(sql`${isBreaker(call)} and ${aiBreakers.failures} >= ${MAX_FAILURES} and ${isInserted}`),
		})
		return callInserted.length === 1
	},

	/**
	 * Ends an open call once, corrects the month's sums, and updates the breaker. Returns false if it had ended.
	 * `effect` is null after a success.
	 */
	async settle(call: Reserved, end: CallEnd, effect: BreakerEffect | null, now: number): Promise<boolean> {
		const { id, orgId } = call
		const endedNow = sql`exists (select 1 from ${aiCalls} where ${aiCalls.id} = ${id} and ${isOpenStatus})`
		const audio = end.audioMs - call.audioMs
		const cost = end.costMicros - call.costMicros
		const tokens = (end.tokens ?? 0) - (call.tokens ?? 0)
		const budgets = call.payer === 'installation' ? [orgId, installationName(call.purpose)] : [orgId]
		const { callEnded } = await batch(db, {
			budgetCorrected: db
				.update(aiBudgets)
				.set({
					audioMs: sql`max(0, ${aiBudgets.audioMs} + ${audio})`,
					costMicros: sql`max(0, ${aiBudgets.costMicros} + ${cost})`,
					tokens: sql`max(0, ${aiBudgets.tokens} + ${tokens})`,
				})
				.where(
					sql`
						${inArray(aiBudgets.orgId, budgets)}
						and ${aiBudgets.month} = (select month from ai_calls where id = ${id})
						and ${endedNow}
					`,
				),
			breakerUpdated: breakerStatement(db, call, effect, endedNow, now),
			callEnded: db
				.update(aiCalls)
				.set({ ...end, endedAt: now, checkAt: null })
				.where(isOpenCall(id))
				.returning({ id: aiCalls.id }),
		})
		return callEnded.length === 1
	},

	async find(id: string): Promise<CallRow | undefined> {
		const [row] = await db.select().from(aiCalls).where(eq(aiCalls.id, id))
		return row
	},

	/** Records that the provider will call back. */
	async markWaiting(id: string, remoteId: string, checkAt: number): Promise<void> {
		await db.update(aiCalls).set({ status: 'waiting', remoteId, checkAt }).where(isOpenCall(id))
	},

	async postponeCheck(id: string, checkAt: number): Promise<void> {
		await db
			.update(aiCalls)
			.set({ checkAt: sql`max(${aiCalls.checkAt}, ${checkAt})` })
			.where(isOpenCall(id))
	},

	/** Claims silent open calls, at growing intervals. */
	claimChecks(now: number, limit: number): Promise<CallRow[]> {
		return db
			.update(aiCalls)
			.set({
				checkAt: sql`${now} + ${backoffSql(CHECKS, sql`${aiCalls.checks}`)}`,
				checks: sql`${aiCalls.checks} + 1`,
			})
			.where(isAmongDue(db, dueChecks, now, limit))
			.returning()
	},

	/**
	 * Claims an open call for handing over its outcome. Returns false if it has ended, or another process has claimed
	 * it.
	 */
	async claim(id: string, now: number, until: number): Promise<boolean> {
		const taken = await db
			.update(aiCalls)
			.set({ takenUntil: until })
			.where(and(isOpenCall(id), isFree(now)))
			.returning({ id: aiCalls.id })
		return taken.length === 1
	},

	/** Releases a claimed call whose outcome could not be handed over. */
	async release(id: string, until: number): Promise<void> {
		await db
			.update(aiCalls)
			.set({ takenUntil: null })
			.where(and(isOpenCall(id), eq(aiCalls.takenUntil, until)))
	},

	/**
	 * Ends the open calls of older attempts at a subject, unless their outcome is being handed over. Reservations stay,
	 * because providers charge.
	 */
	async supersede(orgId: string, subject: string, epoch: number, now: number): Promise<void> {
		await db
			.update(aiCalls)
			.set({ status: 'superseded', endedAt: now, checkAt: null })
			.where(
				and(
					...[eq(aiCalls.orgId, orgId), eq(aiCalls.subject, subject), lt(aiCalls.epoch, epoch)],
					...[isOpenStatus, isFree(now)],
				),
			)
	},

	async prune(before: number): Promise<void> {
		await db.delete(aiCalls).where(lte(aiCalls.createdAt, before))
	},

	/** Returns possible causes of a refused reservation; for a language model, also what open calls reserve. */
	async findObstacles(call: BreakerOwner & Pick<NewCall, 'month'>) {
		const { orgId, month } = call
		const isModel = call.purpose === 'language-model'
		const reservedBy = (owner: SQL) =>
			db
				.select({
					tokens: sql<number>`coalesce(sum(${aiCalls.tokens}), 0)`,
					costMicros: sql<number>`coalesce(sum(${aiCalls.costMicros}), 0)`,
				})
				.from(aiCalls)
				.where(
					// The unary plus keeps SQLite on the small index of open calls.
					sql`
						${isOpenStatus}
						and ${aiCalls.checkAt} > 0
						and ${aiCalls.purpose} = 'language-model'
						and ${aiCalls.month} >= ${month}
						and ${owner}
					`,
				)
		const { budgets, installations, breakers, owners, reservedByOrg, reservedByAll } = await batch(db, {
			budgets: db.select().from(aiBudgets).where(eq(aiBudgets.orgId, orgId)),
			installations: db
				.select()
				.from(aiBudgets)
				.where(eq(aiBudgets.orgId, installationName(call.purpose))),
			breakers: db.select().from(aiBreakers).where(isBreaker(call)),
			owners: db.select({ id: orgs.id }).from(orgs).where(eq(orgs.id, orgId)),
			reservedByOrg: isModel ? reservedBy(sql`+${aiCalls.orgId} = ${orgId}`) : null,
			reservedByAll: isModel ? reservedBy(sql`${aiCalls.payer} = 'installation'`) : null,
		})
		return {
			...{ budget: budgets[0], installation: installations[0], breaker: breakers[0] },
			reserved: {
				byOrg: reservedByOrg?.[0] ?? NOTHING_RESERVED,
				byAll: reservedByAll?.[0] ?? NOTHING_RESERVED,
			},
			hasOrg: owners.length > 0,
		}
	},
})

/** The installation's row has no limits; these are variables. */
function installationHasRoom(
	{ orgId, month, audioMs, costMicros, purpose, tokens = 0 }: NewCall,
	{ maxAudioMs, maxCostMicros, maxTokens, maxTokensPerOrg }: InstallationLimits,
	isPriced: boolean,
): SQL {
	if (maxCostMicros !== null && !isPriced) return sql`and false`
	const hasRoomFor = (column: SQL, more: number, max: number | null, owner = installationName(purpose)) =>
		max === null
			? sql``
			: sql`
				and coalesce(
					(select iif(month >= ${month}, ${column}, 0) from ai_budgets where org_id = ${owner}), 0
				) + ${more} <= ${max}
			`
	return sql`
		${hasRoomFor(
			sql`
			audio_ms
		`,
			audioMs,
			maxAudioMs,
		)} ${hasRoomFor(
			sql`
			tokens
		`,
			tokens,
			maxTokens,
		)} ${hasRoomFor(
			sql`
			tokens
		`,
			tokens,
			maxTokensPerOrg,
			orgId,
		)} ${hasRoomFor(
			sql`
			cost_micros
		`,
			costMicros,
			maxCostMicros,
		)}
	`
}

/**
 * Closes the breaker after a success; counts a failure, or opens the breaker. Late failures of calls from before only
 * extend a requested pause. Failures with former settings are ignored.
 */
function breakerStatement(db: Db, call: Reserved, effect: BreakerEffect | null, endedNow: SQL, now: number) {
	if (effect === null) return db.delete(aiBreakers).where(sql`${isBreaker(call)} and ${endedNow}`)
	if (effect.kind === 'none') return null
	const startedAt = sql`(select created_at from ai_calls where id = ${call.id})`
	const { orgId, purpose = 'transcription' } = call
	const condition = sql`
		${endedNow}
		and not exists (
			select 1 from ${aiEngines}
			where ${aiEngines.orgId} = ${orgId}
				and ${aiEngines.purpose} = ${purpose}
				and ${aiEngines.updatedAt} > ${startedAt}
		)
	`
	const isFinal = effect.kind === 'open'
	const { code, reason } = isFinal ? effect : { code: null, reason: null }
	const asked = isFinal ? MAX_OPEN_MS : (effect.openMs ?? 0)
	const failures = isFinal ? sql`${MAX_FAILURES}` : sql`${aiBreakers.failures} + 1`
	const openMs = isFinal
		? sql`${MAX_OPEN_MS}`
		: sql`iif(
			${failures} >= ${MAX_FAILURES}, min(max(2 * ${aiBreakers.openMs}, ${FIRST_OPEN_MS}), ${MAX_OPEN_MS}), 0
		)`
	/** The call that a half-open breaker admitted began when its pause did. */
	const isLate = sql`
		${aiBreakers.openUntil} > ${now} and ${aiBreakers.openUntil} <> ${startedAt} + ${PROBE_MS}
	`
	const unlessLate = (column: SQL, next: SQL) => (isFinal ? next : sql`iif(${isLate}, ${column}, ${next})`)
	return insertSelect(
		db,
		aiBreakers,
		{
			orgId,
			provider: breakerName(call.provider, purpose),
			failures: isFinal ? MAX_FAILURES : 1,
			openUntil: now + asked,
			openMs: 0,
			code,
			reason,
		},
		sql`where ${condition}`,
	).onConflictDoUpdate({
		target: [aiBreakers.orgId, aiBreakers.provider],
		set: {
			failures: unlessLate(sql`${aiBreakers.failures}`, failures),
			openMs: unlessLate(sql`${aiBreakers.openMs}`, openMs),
			openUntil: unlessLate(
				sql`max(${aiBreakers.openUntil}, ${now + asked})`,
				sql`${now} + max(${openMs}, ${asked})`,
			),
			code: unlessLate(sql`${aiBreakers.code}`, sql`${code}`),
			reason: unlessLate(sql`${aiBreakers.reason}`, sql`${reason}`),
		},
	})
}
