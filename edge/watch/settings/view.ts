import type { Branding } from '#schema/contract/watch/settings/branding.ts'
import type { PublicOrgSettings } from '#schema/contract/watch/settings/public-settings.ts'
import type { Settings } from '#schema/contract/watch/settings/settings.ts'
import type { OrgRow } from '../../accounts/orgs/store.ts'
import type { ViewerSettingsRow } from '../../accounts/orgs/viewer-settings.ts'
import type { State } from '../../http/entity-tag.ts'
import { buildUrl } from '../../platform/network/header-values.ts'
import { chooseTextColor } from './contrast.ts'
import { formatFrameAncestors } from './embed-domains.ts'
import { viewEncoding } from './encoding.ts'
import { formatLogoFile } from './logo.ts'
import { pickEditableSettings } from './store.ts'

/** `base` is the public URL of the API. */
export const viewBranding = (
	{ primaryColor, theme, logoKey }: Pick<ViewerSettingsRow, 'primaryColor' | 'theme' | 'logoKey'>,
	base: string,
): Branding => ({
	primaryColor,
	theme,
	logoUrl: logoKey === null ? null : buildUrl(base, ['v1', 'settings', 'logo', formatLogoFile(logoKey)]),
})

/** Returns the columns that an update may change, under the names of their fields. */
export const readSettingsState = (org: OrgRow): State => {
	const { logoKey: logoUrl, playerDefaults: player, ...columns } = pickEditableSettings(org)
	return { ...columns, logoUrl, player }
}

export const viewSettings = (org: OrgRow, base: string): Settings => ({
	...viewBranding(org, base),
	player: org.playerDefaults,
	allowedEmbedDomains: org.allowedEmbedDomains,
	analytics: org.analytics,
	encoding: viewEncoding(org),
})

export const viewPublicSettings = (
	org: ViewerSettingsRow,
	base: string,
	ownOrigins: readonly string[],
): PublicOrgSettings => ({
	...viewBranding(org, base),
	textOnPrimary: chooseTextColor(org.primaryColor),
	player: org.playerDefaults,
	frameAncestors: formatFrameAncestors(org.allowedEmbedDomains, ownOrigins),
})
