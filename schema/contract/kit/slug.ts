import { z } from 'zod'

/**
 * Slugs become hosts and paths. These names could be mistaken for a part of the installation, or are used for mail to a
 * domain and for requests of its certificates.
 */
const reserved = new Set(
	`abuse account accounts admin administrator api app apps assets auth autoconfig autodiscover billing blog
	cdn community communities console contact dashboard dev dns docs download downloads embed email feed files ftp
	health help host hostmaster hosting imap info internal invite join legal live local localhost login logout mail media
	member members metrics mx noreply no-reply ns ns1 ns2 oauth official org organization organizations orgs owner
	password play player playhouse pop pop3 postmaster preview privacy proxy public reference register root s3
	search secure security settings setup signin signup smtp ssl sso staff staging static stats status stream
	support sys sysadmin system team terms test tls tus upload uploads user users v1 video videos watch web webhook
	webhooks webmail webmaster well-known wpad www www1 www2`.split(/\s+/),
)

/** Hyphens as third and fourth character mark an encoded host name (`xn--`), which browsers show as other characters. */
const isEncoded = (slug: string): boolean => slug.slice(2, 4) === '--'

/** Checks whether an organization or a community may have this slug. */
export const isFreeSlug = (slug: string): boolean => !reserved.has(slug) && !isEncoded(slug)

export const slugSchema = (maxLength: number) =>
	z
		.string()
		.max(maxLength)
		.regex(/^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/, 'must be lower-case letters, digits and inner hyphens')

/** Like `slugSchema`, for slugs that become hosts or paths of the installation. */
export const publicSlugSchema = (maxLength: number) =>
	slugSchema(maxLength).refine(isFreeSlug, 'is reserved; choose another slug')
