import { and, eq, isNotNull, isNull, type SQL, sql } from 'drizzle-orm'
import type { AnySQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { PlayerDefaults } from '#schema/contract/watch/settings/branding.ts'
import type { AnalyticsSettings } from '#schema/contract/watch/settings/settings.ts'
import { orgs } from '#schema/tables/accounts/identity.ts'
import type { OrgRow } from '../../accounts/orgs/store.ts'
import { type ViewerSettingsRow, viewerSettings } from '../../accounts/orgs/viewer-settings.ts'
import { auditIfChangedStatement } from '../../platform/audit/audit.ts'
import { batch } from '../../platform/database/batch.ts'
import type { Db } from '../../platform/database/database.ts'
import { hasValues } from '../../platform/database/has-values.ts'
import {
	announceObjectStatement,
	isAnnounced,
	keepAnnouncedStatement,
} from '../../platform/storage/announced-objects.ts'
import { recordPurgesStatement } from '../../platform/storage/storage-purge.ts'
import type { UnitOfWork } from '../../platform/unit-of-work.ts'

/** Players fetch logos. */
export const LOGO_BUCKET = 'media'

/** `player` and `analytics` are merged into the stored values. */
export type SettingsChange = {
	primaryColor?: string
	theme?: OrgRow['theme']
	logoKey?: null
	player?: { [K in keyof PlayerDefaults]?: boolean | undefined }
	analytics?: { [K in keyof AnalyticsSettings]?: AnalyticsSettings[K] | undefined }
	allowedEmbedDomains?: string[]
}

/** Returns a query for the bucket and key of the logos of the organizations that match `which`. */
export const selectLogoPrefixes = (which: SQL): SQL =>
	sql`
		select ${LOGO_BUCKET} as bucket, ${orgs.logoKey} as prefix from ${orgs}
		where ${orgs.logoKey} is not null and ${which}
	`

/** The columns that an update of the settings may change. */
export const pickEditableSettings = ({
	primaryColor,
	theme,
	logoKey,
	playerDefaults,
	analytics,
	allowedEmbedDomains,
}: OrgRow) => ({ primaryColor, theme, logoKey, playerDefaults, analytics, allowedEmbedDomains })

type EditableSettings = ReturnType<typeof pickEditableSettings>

const mergedInto = (column: AnySQLiteColumn, change: object): SQL =>
	sql`json_patch(${column}, ${JSON.stringify(change)})`

export const settingsStore = (db: Db) => ({
	async findPublic(slug: string): Promise<ViewerSettingsRow | undefined> {
		const [row] = await db
			.select(viewerSettings)
			.from(orgs)
			.where(and(eq(orgs.slug, slug), isNull(orgs.suspendedAt)))
		return row
	},

	/** Whether the logo belongs to an organization that is fully suspended. */
	async isLogoSuspended(key: string): Promise<boolean> {
		const rows = await db
			.select({ id: orgs.id })
			.from(orgs)
			.where(and(eq(orgs.logoKey, key), isNotNull(orgs.suspendedAt)))
		return rows.length > 0
	},

	/** Returns undefined if the organization was deleted, or no longer has the values `before`. */
	async change(
		work: UnitOfWork,
		orgId: string,
		{ player, analytics, ...change }: SettingsChange,
		before?: EditableSettings,
	): Promise<OrgRow | undefined> {
		const isOrg = sql`${eq(orgs.id, orgId)} and ${before ? hasValues(orgs, before) : sql`true`}`
		const { settingsChanged } = await batch(db, {
			logoPurged:
				change.logoKey === null ? recordPurgesStatement(db, selectLogoPrefixes(isOrg), work.now) : null,
			settingsChanged: db
				.update(orgs)
				.set({
					...change,
					...(player && { playerDefaults: mergedInto(orgs.playerDefaults, player) }),
					...(analytics && { analytics: mergedInto(orgs.analytics, analytics) }),
					updatedAt: work.now,
				})
				.where(isOrg)
				.returning(),
			entryWritten: auditIfChangedStatement(work, {
				action: 'settings.updated',
				orgId,
				target: { kind: 'org', id: orgId },
				details: {
					changed: Object.keys({
						...change,
						...(player && { player }),
						...(analytics && { analytics }),
					}),
				},
			}),
		})
		return settingsChanged[0]
	},

	/** Announces a logo before its upload. Returns false if the organization was deleted. */
	async announceLogo(orgId: string, key: string, sweepAt: number): Promise<boolean> {
		const exists = sql`exists (select 1 from ${orgs} where ${orgs.id} = ${orgId})`
		return (await announceObjectStatement(db, LOGO_BUCKET, key, sweepAt, exists)).length === 1
	},

	/** Returns undefined if the upload took too long, or the organization was deleted. */
	async setLogo(work: UnitOfWork, orgId: string, key: string): Promise<OrgRow | undefined> {
		const canSet = sql`${eq(orgs.id, orgId)} and ${isAnnounced(LOGO_BUCKET, key, work.now)}`
		const { logoChanged } = await batch(db, {
			// Cached playback records still refer to the old logo.
			oldLogoPurged: recordPurgesStatement(db, selectLogoPrefixes(canSet), work.now, 'soon'),
			logoChanged: db.update(orgs).set({ logoKey: key, updatedAt: work.now }).where(canSet).returning(),
			entryWritten: auditIfChangedStatement(work, {
				action: 'settings.updated',
				orgId,
				target: { kind: 'org', id: orgId },
				details: { changed: ['logoKey'] },
			}),
			objectKept: keepAnnouncedStatement(db, LOGO_BUCKET, key),
		})
		return logoChanged[0]
	},
})
