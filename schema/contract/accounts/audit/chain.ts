import { z } from 'zod'
import { Timestamp } from '../../kit/fields.ts'

const NamedPerson = z.object({
	userId: z.int().nullable(),
	email: z.string().nullable(),
	/** The IP address; null except for actors. */
	ipAddress: z.string().nullable(),
	/** Null if the row names nobody in this role, or the person was erased. */
	salt: z.string().nullable(),
})
type NamedPerson = z.infer<typeof NamedPerson>

/** A row of the audit log with everything that its hash covers. */
export const ChainRow = z
	.object({
		position: z.int(),
		id: z.string(),
		orgId: z.string().nullable(),
		action: z.string(),
		actorKind: z.string(),
		actorId: z.string().nullable(),
		targetKind: z.string().nullable(),
		targetId: z.string().nullable(),
		requestId: z.string().nullable(),
		details: z.string().meta({ description: 'JSON, as it is stored' }),
		createdAt: z.int().meta({ description: 'Milliseconds since 1970' }),
		actor: NamedPerson,
		onBehalfOf: NamedPerson,
		target: NamedPerson,
		seal: z
			.object({
				actorDigest: z.string().nullable(),
				onBehalfOfDigest: z.string().nullable(),
				targetDigest: z.string().nullable(),
				hash: z.string(),
			})
			.nullable()
			.meta({ description: 'Null until the row is sealed, which takes about a minute' }),
	})
	.meta({ id: 'AuditChainRow' })
export type ChainRow = z.infer<typeof ChainRow>
export type Digests = Omit<NonNullable<ChainRow['seal']>, 'hash'>

/** A hash that was copied to the vault when the row at this position was the newest sealed one. */
export const ChainHead = z
	.object({
		position: z.int(),
		hash: z.string(),
		storedAt: z.int().meta({ description: 'When the vault received it, in milliseconds since 1970' }),
	})
	.meta({ id: 'AuditChainHead' })
export type ChainHead = z.infer<typeof ChainHead>

/** Erased people in a part of the chain, as the installation recorded them. */
export const ChainErasures = z
	.object({
		until: z.int().nullable().meta({
			description:
				'When the last run of an account deletion began, by the vault, in milliseconds since 1970; null before the first one',
		}),
		presentActors: z.array(z.int()).meta({
			description:
				'Positions of rows without a person, although their API key belongs to a person who still has an account',
		}),
	})
	.meta({ id: 'AuditChainErasures' })
export type ChainErasures = z.infer<typeof ChainErasures>

/** A part of the chain, oldest rows first. */
export const ChainPage = z
	.object({
		readAt: Timestamp.meta({ description: 'When these rows were read' }),
		rows: z.array(ChainRow),
		heads: z.array(ChainHead),
		sealWithoutRow: z.int().nullable().meta({
			description: 'First position among these rows, or after the last row, that has a seal but no row',
		}),
		erasureRecord: ChainErasures.optional().meta({ description: 'Missing in older installations' }),
		next: z.int().nullable().meta({ description: 'Send it as `after`; null after the last row' }),
	})
	.meta({ id: 'AuditChainPage' })
export type ChainPage = z.infer<typeof ChainPage>

/** The hash before the first row. */
export const FIRST_HASH = '0'.repeat(64)

/** Returns the digest of a person's identifiers; null for nobody. */
export const digestPerson = async ({
	salt,
	userId,
	email,
	ipAddress,
}: NamedPerson): Promise<string | null> =>
	salt === null ? null : sha256Hex(JSON.stringify([salt, userId, email, ipAddress]))

/** Returns the digests of a row that is not sealed yet. */
export async function digestRow({ actor, onBehalfOf, target }: ChainRow): Promise<Digests> {
	const [actorDigest, onBehalfOfDigest, targetDigest] = await Promise.all(
		[actor, onBehalfOf, target].map(digestPerson),
	)
	return {
		actorDigest: actorDigest ?? null,
		onBehalfOfDigest: onBehalfOfDigest ?? null,
		targetDigest: targetDigest ?? null,
	}
}

/** Returns the hash of a row. It covers digests of people, so that the chain survives their erasure. */
export const hashRow = (before: string, row: ChainRow, digests: Digests): Promise<string> =>
	sha256Hex(
		JSON.stringify([
			before,
			row.position,
			row.id,
			row.orgId,
			row.action,
			row.actorKind,
			row.actorId,
			row.targetKind,
			row.targetId,
			row.requestId,
			row.details,
			row.createdAt,
			digests.actorDigest,
			digests.onBehalfOfDigest,
			digests.targetDigest,
		]),
	)

// Declared here, because this folder uses no platform's types.
declare const crypto: { subtle: { digest(name: string, data: Uint8Array): Promise<ArrayBuffer> } }
declare const TextEncoder: new () => { encode(text: string): Uint8Array }

async function sha256Hex(text: string): Promise<string> {
	const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))
	return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
