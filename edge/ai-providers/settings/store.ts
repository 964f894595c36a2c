import { and, eq, sql } from 'drizzle-orm'
import { aiBudgets, aiCircuits, aiEngines } from '#schema/tables/ai-providers.ts'
import { orgs } from '#schema/tables/identity.ts'
import { auditIfChangedStatement, runAudited } from '../../platform/audit/audit.ts'
import { monthOf } from '../../platform/clock.ts'
import { batch } from '../../platform/database/batch.ts'
import type { Db } from '../../platform/database/database.ts'
import { insertSelect } from '../../platform/database/insert-select.ts'

export type EngineRow = typeof aiEngines.$inferSelect
export type EnginePurpose = EngineRow['purpose']
export type BudgetRow = typeof aiBudgets.$inferSelect
export type Limits = { maxAudioMs?: number | null; maxCostMicros?: number | null }

const isEngine = (orgId: string, purpose: EnginePurpose) =>
	and(eq(aiEngines.orgId, orgId), eq(aiEngines.purpose, purpose))

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

	/** Returns false if the row was changed since version `before` (0 for none), or the organization was deleted. */
	async saveEngine(row: EngineRow, before: number): Promise<boolean> {
		const exists = sql`exists (select 1 from ${orgs} where ${orgs.id} = ${row.orgId})`
		const { orgId, purpose, ...change } = row
		const isUnchanged = and(isEngine(orgId, purpose), eq(aiEngines.version, before))
		const saved =
			before === 0
				? insertSelect(db, aiEngines, row, sql`where ${exists}`)
						.onConflictDoNothing()
						.returning({ version: aiEngines.version })
				: db.update(aiEngines).set(change).where(isUnchanged).returning({ version: aiEngines.version })
		const result = await batch(db, {
			engineSaved: saved,
			entryWritten: auditIfChangedStatement(db, {
				...entryOf(orgId),
				details: { changed: [purpose], provider: row.provider },
			}),
			circuitClosed: db.delete(aiCircuits).where(eq(aiCircuits.orgId, orgId)),
		})
		return result.engineSaved.length === 1
	},

	async deleteEngine(orgId: string, purpose: EnginePurpose): Promise<void> {
		await runAudited(db, db.delete(aiEngines).where(isEngine(orgId, purpose)), {
			...entryOf(orgId),
			details: { changed: [purpose], provider: null },
		})
	},

	async setLimits(orgId: string, limits: Limits, now: number): Promise<void> {
		const { maxAudioMs = null, maxCostMicros = null } = limits
		const exists = sql`where exists (select 1 from ${orgs} where ${orgs.id} = ${orgId})`
		const set = insertSelect(
			db,
			aiBudgets,
			{ orgId, maxAudioMs, maxCostMicros, month: monthOf(now), updatedAt: now },
			exists,
		).onConflictDoUpdate({ target: aiBudgets.orgId, set: { ...limits, updatedAt: now } })
		await runAudited(db, set, { ...entryOf(orgId), details: { changed: ['limits'], ...limits } })
	},
})
