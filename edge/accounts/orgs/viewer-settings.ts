import { orgs } from '#schema/tables/accounts/identity.ts'

/** The columns of an organization that determine how and where its videos are shown. */
export const viewerSettings = {
	name: orgs.name,
	primaryColor: orgs.primaryColor,
	theme: orgs.theme,
	logoKey: orgs.logoKey,
	playerDefaults: orgs.playerDefaults,
	allowedEmbedDomains: orgs.allowedEmbedDomains,
	analytics: orgs.analytics,
}

export type ViewerSettingsRow = Pick<typeof orgs.$inferSelect, keyof typeof viewerSettings>
