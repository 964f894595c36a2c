import { and, eq, getTableColumns, inArray, type SQL, sql } from 'drizzle-orm'
import type { AiStatus, AiStep } from '#schema/contract/video/assets.ts'
import { aiSteps } from '#schema/tables/ai/steps.ts'
import type { Db } from '../../platform/database/database.ts'
import { insertSelect } from '../../platform/database/insert-select.ts'
import { claimDue, type DueRows } from '../../platform/work/due-rows.ts'
import { isOpenStatus, openStatuses, type StepState } from '../../video/transcoding/progress/ai-job-view.ts'

export type StepRow = typeof aiSteps.$inferSelect

type StepKey = Pick<StepRow, 'assetId' | 'step' | 'version'>
type Run = Pick<StepRow, 'assetId' | 'orgId' | 'jobId' | 'language' | 'isForced'>

const openList = openStatuses.map((status) => `'${status}'`).join(', ')
const isOpenRow = (alias: string) => sql.raw(`${alias}.status in (${openList})`)

export const isOpen = ({ status }: Pick<StepRow, 'status'>): boolean => isOpenStatus(status)

export const openSteps = { at: aiSteps.updatedAt, isOpen: isOpenRow('ai_steps') } satisfies DueRows

export const aiStore = (db: Db) => ({
	async list(assetId: string): Promise<StepRow[]> {
		return db.select().from(aiSteps).where(eq(aiSteps.assetId, assetId))
	},

	/** Begins a run of the given steps, unless the asset was moved to the trash or deleted. With `isFirst`, steps that this job began before stay. */
	startStatement(run: Run, steps: readonly StepState[], now: number, isFirst: boolean) {
		const { assetId, orgId, jobId, language, isForced } = run
		return insertSelect(
			db,
			aiSteps,
			{
				assetId,
				step: sql`given.value ->> 'step'`,
				orgId,
				jobId,
				status: sql`given.value ->> 'status'`,
				reason: sql`given.value ->> 'reason'`,
				version: 1,
				language,
				isForced,
				isAnnounced: false,
				startedAt: now,
				updatedAt: now,
			},
			sql`
				from json_each(${JSON.stringify(steps)}) as given
				where exists (select 1 from assets as present where present.id = ${assetId})
			`,
		)
			.onConflictDoUpdate({
				target: [aiSteps.assetId, aiSteps.step],
				set: {
					jobId: sql`excluded.job_id`,
					status: sql`excluded.status`,
					reason: sql`excluded.reason`,
					version: sql`${aiSteps.version} + 1`,
					language: sql`excluded.language`,
					isForced: sql`excluded.is_forced`,
					isAnnounced: sql`0`,
					startedAt: sql`excluded.started_at`,
					updatedAt: sql`excluded.updated_at`,
				},
				...(isFirst && { setWhere: sql`${aiSteps.jobId} <> excluded.job_id` }),
			})
			.returning()
	},

	/** Moves an open step, unless a later run began. Returns its row. */
	moveStatement(
		{ assetId, step, version }: StepKey,
		to: { status: AiStatus; reason: string | null },
		now: number,
		condition?: SQL,
	) {
		return db
			.update(aiSteps)
			.set({ ...to, updatedAt: now })
			.where(
				and(
					eq(aiSteps.assetId, assetId),
					eq(aiSteps.step, step),
					eq(aiSteps.version, version),
					inArray(aiSteps.status, [...openStatuses]),
					condition,
				),
			)
			.returning()
	},

	/**
	 * Ends a run's right to replace edits once its transcript is stored. Otherwise, after an interruption, it would
	 * also replace later edits.
	 */
	endForceStatement({ assetId, step, version }: StepKey, condition: SQL) {
		return db
			.update(aiSteps)
			.set({ isForced: false })
			.where(
				and(eq(aiSteps.assetId, assetId), eq(aiSteps.step, step), eq(aiSteps.version, version), condition),
			)
	},

	/**
	 * Marks the end of all steps once, if none is open. `changes()` is then 1 for the statement that records the event.
	 */
	announceStatement(assetId: string, hasFailures: boolean) {
		const failures = sql`
			exists (select 1 from ai_steps as other where other.asset_id = ${assetId} and other.status = 'failed')
		`
		return db
			.update(aiSteps)
			.set({ isAnnounced: true })
			.where(
				and(
					eq(aiSteps.assetId, assetId),
					sql`exists (
						select 1 from ai_steps as fresh where fresh.asset_id = ${assetId} and fresh.is_announced = 0
					)`,
					sql`not exists (
						select 1 from ai_steps as open where open.asset_id = ${assetId} and ${isOpenRow('open')}
					)`,
					hasFailures ? failures : sql`not ${failures}`,
				),
			)
	},

	/** Claims open steps that were not checked for `afterMs`, least recently checked first. */
	claimOpen(step: AiStep, afterMs: number, now: number, limit: number): Promise<StepRow[]> {
		const rows = { ...openSteps, afterMs, isOpen: and(openSteps.isOpen, eq(aiSteps.step, step)) as SQL }
		return claimDue(db, rows, getTableColumns(aiSteps), { now, leaseMs: 0, limit })
	},
})

/** SQL condition: the run may replace edits, as given. */
export const isForcedRun = ({ assetId, step, version, isForced }: StepKey & Pick<StepRow, 'isForced'>): SQL =>
	sql`exists (
		select 1 from ai_steps as run
		where run.asset_id = ${assetId}
			and run.step = ${step}
			and run.version = ${version}
			and run.is_forced = ${isForced ? 1 : 0}
	)`

/** SQL condition: the step has the given state in this run. */
export const isStepAt = (
	{ assetId, version }: Pick<StepRow, 'assetId' | 'version'>,
	step: AiStep,
	status: AiStatus,
): SQL =>
	sql`exists (
		select 1 from ai_steps as at
		where at.asset_id = ${assetId} and at.step = ${step} and at.version = ${version} and at.status = ${status}
	)`

/** SQL condition: the job began a step at this instant, in this state. */
export const hasStepBegun = (
	{ assetId, jobId }: Pick<StepRow, 'assetId' | 'jobId'>,
	{ step, status }: Pick<StepState, 'step' | 'status'>,
	now: number,
): SQL =>
	sql`exists (
		select 1 from ai_steps as begun
		where begun.asset_id = ${assetId}
			and begun.step = ${step}
			and begun.job_id = ${jobId}
			and begun.status = ${status}
			and begun.started_at = ${now}
	)`
