import { z } from 'zod'

/** Wraps a payload as `{ data: … }`, the envelope of successful responses under `/v1`. */
export const data = <S extends z.ZodType>(payload: S) => z.object({ data: payload })

export const Timestamp = z.iso.datetime({ precision: 3 }).meta({ description: 'ISO 8601, UTC, milliseconds' })

const FIRST_INSTANT = Date.parse('0001-01-01T00:00:00Z')
const LAST_INSTANT = Date.parse('9999-12-31T23:59:59.999Z')

/** A time from a request. The offset could move it out of the years 1 to 9999, which iCalendar can't express. */
export const Instant = z.iso
	.datetime({ offset: true })
	.refine((text) => {
		const instant = Date.parse(text)
		return instant >= FIRST_INSTANT && instant <= LAST_INSTANT
	}, 'must be within the years 1 to 9999 in UTC')
	.meta({ description: 'ISO 8601 with `Z` or an offset, within the years 1 to 9999 in UTC' })

export const UserId = z.int().positive()

/** Returns the schema of a time-ordered id such as `org_01hv…`. */
const prefixedId = (prefix: string) => z.string().regex(new RegExp(`^${prefix}_[0-9a-z]{26}$`))
export const OrgId = prefixedId('org')
export const SessionId = prefixedId('ses')
export const ApiKeyId = prefixedId('key')
export const PasskeyId = prefixedId('psk')
export const InvitationId = prefixedId('inv')
export const MachineId = prefixedId('mch')
export const DeletionRequestId = prefixedId('del')
export const AssetId = prefixedId('ast')
export const CommentId = prefixedId('cmt')
export const CollectionId = prefixedId('col')
export const JobId = prefixedId('job')
export const HighlightId = prefixedId('hlt')
export const TaskId = prefixedId('tsk')
export const WebhookEndpointId = prefixedId('whe')
export const AuditEntryId = prefixedId('aud')
export const BackupId = prefixedId('bkp')
export const DirectUploadId = prefixedId('dup')
export const SavedViewId = prefixedId('svw')

/** Unguessable, and never changes for an asset. */
export const PlaybackId = z.string().regex(/^[0-9A-Za-z]{22}$/)

/** Email addresses are compared and stored in lower case. */
export const Email = z.string().trim().toLowerCase().max(254).pipe(z.email()).meta({ format: 'email' })

export const isOneLine = (text: string): boolean => !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text)

const asOneLine = <S extends z.ZodType<string>>(schema: S) =>
	schema.refine(isOneLine, 'must be one line without control characters')

/** A name, title or label. Pages, mails and calendars show it unchanged on one line. */
export const Line = asOneLine(z.string().trim())

/** An identifier of another system, stored without trimming. */
export const foreignId = (maxLength: number) => asOneLine(z.string().min(1).max(maxLength))

export const PersonName = Line.min(1).max(100)

/** Longer passwords add hashing work but no security. */
export const NewPassword = z.string().min(8).max(256).meta({
	description:
		'8 to 256 characters. The 100,000 most common passwords (in any case) are rejected with 400, and so are passwords that are little more than the name or email address of the account.',
})
export const Password = z.string().min(1).max(256)

/** A web address. The URL parser ignores control characters, but later users of the text might not. */
export const WebUrl = z
	.url({ protocol: /^https?$/ })
	.max(2048)
	.refine(isOneLine, 'must not contain control characters')

/** A ThumbHash in base64: a blurred picture of about 25 bytes. */
export const ThumbHash = z.base64().min(8).max(56)

/** Returns the schema of an integer in a query, which arrives as text. */
export const queryInt = (min: number, max: number, fallback: number) =>
	z
		.string()
		.regex(/^\d+$/, 'must be a whole number')
		// So that digits beyond the range of a double are too large, not infinite.
		.transform((text) => Math.min(Number(text), Number.MAX_VALUE))
		.pipe(z.int().min(min).max(max))
		.default(fallback)

export const ViewerToken = z
	.string()
	.max(4_096)
	.optional()
	.meta({ description: 'A playback token; required if the asset is `signed`' })

/** A positive integer id in a path, which arrives as text. */
export const pathInt = z
	.string()
	.regex(/^[1-9]\d{0,15}$/)
	.transform(Number)
	.pipe(z.int().positive())
