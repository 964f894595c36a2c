import { z } from 'zod'

/** `{ data: … }`, the success envelope of `/v1`. */
export const data = <S extends z.ZodType>(payload: S) => z.object({ data: payload })

export const Timestamp = z.iso.datetime({ precision: 3 }).meta({ description: 'ISO 8601, UTC, milliseconds' })

export const UserId = z.int().positive()

/** A prefixed, time-ordered id such as `org_01hv…`. */
const prefixedId = (prefix: string) => z.string().regex(new RegExp(`^${prefix}_[0-9a-z]{26}$`))
export const OrgId = prefixedId('org')
export const SessionId = prefixedId('ses')
export const ApiKeyId = prefixedId('key')
export const InvitationId = prefixedId('inv')
export const MachineId = prefixedId('mch')
export const DeletionRequestId = prefixedId('del')
export const AssetId = prefixedId('ast')
export const CommentId = prefixedId('cmt')
export const CollectionId = prefixedId('col')
export const JobId = prefixedId('job')
export const TaskId = prefixedId('tsk')

/** Unguessable, and the same for as long as the asset lives. */
export const PlaybackId = z.string().regex(/^[0-9A-Za-z]{22}$/)

/** Addresses are compared in lower case, so they are stored so. */
export const Email = z.string().trim().toLowerCase().max(254).pipe(z.email()).meta({ format: 'email' })

export const PersonName = z.string().trim().min(1).max(100)

/** Past 256 characters a password is only work for the server. */
export const NewPassword = z.string().min(8).max(256).meta({
	description:
		'8 to 256 characters. The 100,000 most common passwords, whatever their capital letters, and the name or address of the account with little beside it are refused with 400.',
})
export const GivenPassword = z.string().min(1).max(256)

/** An address on the web. The URL parser passes over control characters; what shows or sends it later may not. */
export const WebUrl = z
	.url({ protocol: /^https?$/ })
	.max(2048)
	.refine((text) => !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text), 'must not contain control characters')

/** Query parameters arrive as text. */
export const queryInt = (min: number, max: number, fallback: number) =>
	z
		.string()
		.regex(/^\d{1,9}$/, 'must be a whole number')
		.transform(Number)
		.pipe(z.int().min(min).max(max))
		.default(fallback)

/** For an asset that is `signed`; others need none. */
export const ViewerToken = z
	.string()
	.max(4_096)
	.optional()
	.meta({ description: 'A playback token, for an asset that is `signed`' })

/** A path segment that holds a positive integer id. */
export const pathInt = z
	.string()
	.regex(/^[1-9]\d{0,15}$/)
	.transform(Number)
	.pipe(z.int().positive())
