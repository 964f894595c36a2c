import { and, eq, inArray, lt, type SQL, sql } from 'drizzle-orm'
import type { AiStatus, AiStep } from '#schema/contract/video/assets.ts'
import { aiSteps } from '#schema/tables/transcoding.ts'
import type { Db } from '../platform/database/database.ts'
import { insertSelect } from '../platform/database/insert-select.ts'
import type { StepStart } from './decisions.ts'

export type StepRow = typeof aiSteps.$inferSelect

type Run = Pick<StepRow, 'assetId' | 'orgId' | 'jobId' | 'language' | 'isForced'>

const OPEN: AiStatus[] = ['pending', 'processing']
const isOpenRow = (alias: string) => sql.raw(`${alias}.status in ('pending', 'processing')`)

export const isOpen = ({ status }: Pick<StepRow, 'status'>): boolean => OPEN.includes(status)

export const aiStore = (db: Db) => ({
	async list(assetId: string): Promise<StepRow[]> {
		return db.select().from(aiSteps).where(eq(aiSteps.assetId, assetId))
	},

	/** Begins a run of the given steps. With `isFirst`, steps that this job began before stay. */
	startStatement(run: Run, steps: readonly StepStart[], now: number, isFirst: boolean) {
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
			sql`from json_each(${JSON.stringify(steps)}) as given where true`,
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
		{ assetId, step, version }: Pick<StepRow, 'assetId' | 'step' | 'version'>,
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
					inArray(aiSteps.status, OPEN),
					condition,
				),
			)
			.returning()
	},

	/** Marks the end of all steps, once, if none is open. `changes()` then tells whether the event is due. */
	announceStatement(assetId: string, hasFailures: boolean) {
		const failures = sql`exists (select 1 from ai_steps as other where other.asset_id = ${assetId} and other.status = 'failed')`
		return db
			.update(aiSteps)
			.set({ isAnnounced: true })
			.where(
				and(
					eq(aiSteps.assetId, assetId),
					sql`exists (select 1 from ai_steps as fresh where fresh.asset_id = ${assetId} and fresh.is_announced = 0)`,
					sql`not exists (select 1 from ai_steps as open where open.asset_id = ${assetId} and ${isOpenRow('open')})`,
					hasFailures ? failures : sql`not ${failures}`,
				),
			)
	},

	/** Takes steps that machines work on and that were not looked at for a while, longest first. */
	async takeOpen(step: AiStep, before: number, now: number, limit: number): Promise<StepRow[]> {
		const due = db
			.select({ assetId: aiSteps.assetId })
			.from(aiSteps)
			.where(and(sql`${isOpenRow('ai_steps')}`, lt(aiSteps.updatedAt, before), eq(aiSteps.step, step)))
			.orderBy(aiSteps.updatedAt)
			.limit(limit)
		return db
			.update(aiSteps)
			.set({ updatedAt: now })
			.where(and(inArray(aiSteps.assetId, due), eq(aiSteps.step, step)))
			.returning()
	},
})

/** Holds while the step is in the given state of this run. */
export const isStepAt = (
	{ assetId, version }: Pick<StepRow, 'assetId' | 'version'>,
	step: AiStep,
	status: AiStatus,
): SQL =>
	sql`exists (select 1 from ai_steps as at where at.asset_id = ${assetId} and at.step = ${step} and at.version = ${version} and at.status = ${status})`

/** Holds after the given job began a step at this instant, in this state. */
export const hasBegun = (
	{ assetId, jobId }: Pick<StepRow, 'assetId' | 'jobId'>,
	{ step, status }: Pick<StepStart, 'step' | 'status'>,
	now: number,
): SQL =>
	sql`exists (select 1 from ai_steps as begun where begun.asset_id = ${assetId} and begun.step = ${step} and begun.job_id = ${jobId} and begun.status = ${status} and begun.started_at = ${now})`
