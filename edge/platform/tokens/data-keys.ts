import { eq } from 'drizzle-orm'
import { dataKeys } from '#schema/tables/platform.ts'
import type { Db } from '../database/database.ts'
import { base64url, fromBase64url } from './digest.ts'
import type { LinkKind } from './link-token.ts'
import type { Secrets } from './secrets.ts'

/** What the key is for. */
type DataKeyName = 'mail-address' | 'mail-refusal'

/** For the sealing only: the context of a key is its name. There were none before they were sealed. */
export const dataKeySeal: LinkKind = { purpose: 'data-key', mark: '', derivedFrom: (name) => name }

/**
 * base64url(HMAC-SHA256(text)) under a random key that is made once, for hashes that stay for years: one that is derived
 * from AUTH_SECRET would find none of them after a rotation.
 */
export async function lastingHmac(
	{ db, secrets, now }: { db: Db; secrets: Secrets; now: number },
	name: DataKeyName,
	text: string,
): Promise<string> {
	const sealed = (await find(db, name)) ?? (await create(db, secrets, name, now))
	const raw = await secrets.unseal(dataKeySeal.purpose, sealed, name)
	if (raw === null)
		throw new Error(`no configured AUTH_SECRET can decrypt the key ${name}; set AUTH_SECRET_PREVIOUS`)
	const hmac = { name: 'HMAC', hash: 'SHA-256' }
	const key = await crypto.subtle.importKey('raw', fromBase64url(raw), hmac, false, ['sign'])
	return base64url(await crypto.subtle.sign('HMAC', key, new TextEncoder().encode(text)))
}

async function find(db: Db, name: DataKeyName): Promise<string | undefined> {
	const [row] = await db.select({ sealed: dataKeys.sealed }).from(dataKeys).where(eq(dataKeys.name, name))
	return row?.sealed
}

/** Of several that make it at once, one succeeds, and all use that one. */
async function create(db: Db, secrets: Secrets, name: DataKeyName, now: number): Promise<string> {
	const raw = base64url(crypto.getRandomValues(new Uint8Array(32)))
	const sealed = await secrets.seal(dataKeySeal.purpose, raw, name)
	await db.insert(dataKeys).values({ name, sealed, createdAt: now }).onConflictDoNothing()
	return (await find(db, name)) ?? sealed
}
