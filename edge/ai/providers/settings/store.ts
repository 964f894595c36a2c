import { and, eq, sql } from 'drizzle-orm'
import { orgs } from '#schema/tables/accounts/identity.ts'
import { aiBreakers, aiBudgets, aiEngines } from '#schema/tables/ai/providers.ts'
import { auditIfChangedStatement, runAudited } from '../../../platform/audit/audit.ts'
import { toUtcMonth } from '../../../platform/clock.ts'
import { batch } from '../../../platform/database/batch.ts'
import type { Db } from '../../../platform/database/database.ts'
import { insertSelect } from '../../../platform/database/insert-select.ts'
import type { UnitOfWork } from '../../../platform/unit-of-work.ts'
import { breakerName } from '../calls/breaker.ts'
import { listMissingPrices } from './prices.ts'

export type EngineRow = typeof aiEngines.$inferSelect
export type EnginePurpose = EngineRow['purpose']
export type BudgetRow = typeof aiBudgets.$inferSelect
export type Limits = Partial<Pick<BudgetRow, 'maxAudioMs' | 'maxCostMicros' | 'maxTokens'>>

const isEngine = (orgId: string, purpose: EnginePurpose) =>
	and(eq(aiEngines.orgId, orgId), eq(aiEngines.purpose, purpose))

/** Whether failed calls may work after this change. The language and the price don't matter. */
const mayWorkNow = (row: EngineRow, before: EngineRow | undefined): boolean =>
	(['provider', 'baseUrl', 'model', 'sealedKey'] as const).some((field) => row[field] !== before?.[field])

const entryOf = (orgId: string) => ({
	action: 'ai_settings.updated' as const,
	orgId,
	target: { kind: 'org' as const, id: orgId },
})

export const aiSettingsStore = (db: Db) => ({
	async read(orgId: string): Promise<{ engines: EngineRow[]; budget: BudgetRow | undefined }> {
		const { engines, budgets } = await batch(db, {
			engines: db.select().from(aiEngines).where(eq(aiEngines.orgId, orgId)),
			budgets: db.select().from(aiBudgets).where(eq(aiBudgets.orgId, orgId)),
		})
		return { engines, budget: budgets[0] }
	},

	async findEngine(orgId: string, purpose: EnginePurpose): Promise<EngineRow | undefined> {
		const [row] = await db.select().from(aiEngines).where(isEngine(orgId, purpose))
		return row
	},

	/**
	 * Returns false if the row changed since `before`, the organization was deleted, or a money limit needs a missing
	 * price.
	 */
	async saveEngine(work: UnitOfWork, row: EngineRow, before: EngineRow | undefined): Promise<boolean> {
		const { orgId, purpose, ...change } = row
		const needsNoPrice =
			listMissingPrices(row).length > 0
				? sql`not exists (
					select 1 from ai_budgets as budget
					where budget.org_id = ${orgId} and budget.max_cost_micros is not null
				)`
				: undefined
		const exists = and(sql`exists (select 1 from ${orgs} where ${orgs.id} = ${orgId})`, needsNoPrice)
		const isUnchanged = and(
			isEngine(orgId, purpose),
			eq(aiEngines.version, before?.version ?? 0),
			needsNoPrice,
		)
		const saved =
			before === undefined
				? insertSelect(db, aiEngines, row, sql`where ${exists}`)
						.onConflictDoNothing()
						.returning({ version: aiEngines.version })
				: db.update(aiEngines).set(change).where(isUnchanged).returning({ version: aiEngines.version })
		const result = await batch(db, {
			engineSaved: saved,
			entryWritten: auditIfChangedStatement(work, {
				...entryOf(orgId),
				details: { changed: [purpose], provider: row.provider },
			}),
			breakerClosed: mayWorkNow(row, before)
				? db.delete(aiBreakers).where(
						sql`
								${aiBreakers.orgId} = ${orgId}
								and ${aiBreakers.provider} = ${breakerName(row.provider, purpose)}
								and changes() > 0
							`,
					)
				: null,
		})
		return result.engineSaved.length === 1
	},

	async deleteEngine(work: UnitOfWork, orgId: string, purpose: EnginePurpose): Promise<void> {
		await runAudited(work, db.delete(aiEngines).where(isEngine(orgId, purpose)), {
			...entryOf(orgId),
			details: { changed: [purpose], provider: null },
		})
	},

	/** Returns false if the organization was deleted, or a money limit lacks a price. */
	async setLimits(work: UnitOfWork, orgId: string, limits: Limits): Promise<boolean> {
		const { maxAudioMs = null, maxCostMicros = null, maxTokens = null } = limits
		const isPriced =
			maxCostMicros === null
				? sql``
				: sql`and not exists (
					select 1 from ai_engines as engine
					where engine.org_id = ${orgId}
						and case engine.purpose
							when 'transcription' then engine.price_per_minute_micros is null
							else engine.input_price_micros is null or engine.output_price_micros is null
						end
				)`
		const isAllowed = sql`where exists (select 1 from ${orgs} where ${orgs.id} = ${orgId}) ${isPriced}`
		const set = insertSelect(
			db,
			aiBudgets,
			{ orgId, maxAudioMs, maxCostMicros, maxTokens, month: toUtcMonth(work.now), updatedAt: work.now },
			isAllowed,
		)
			.onConflictDoUpdate({ target: aiBudgets.orgId, set: { ...limits, updatedAt: work.now } })
			.returning({ orgId: aiBudgets.orgId })
		const result = await runAudited(work, set, {
			...entryOf(orgId),
			details: { changed: ['limits'], ...limits },
		})
		return result.length === 1
	},
})
