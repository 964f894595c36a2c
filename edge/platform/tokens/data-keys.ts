import { eq } from 'drizzle-orm'
import { dataKeys } from '#schema/tables/platform.ts'
import type { Db } from '../database/database.ts'
import { fromBase64url, randomBase64url, toBase64url } from './digest.ts'
import type { LinkKind } from './link-token.ts'
import type { Secrets } from './secrets.ts'

/** The purposes of keys. */
type DataKeyName = 'mail-address' | 'mail-refusal' | 'passkey-user'

/** How data keys are sealed: the context is the key's name. There are no unsealed ones. */
export const dataKeySeal: LinkKind = { purpose: 'data-key', mark: '', derivedFrom: (name) => name }

/**
 * Returns base64url(HMAC-SHA256(text)) under a permanent random key. For hashes kept for years, which a key derived
 * from AUTH_SECRET could not find after a rotation.
 */
export async function computeLastingHmac(
	{ db, secrets, now }: { db: Db; secrets: Secrets; now: number },
	name: DataKeyName,
	text: string,
): Promise<string> {
	const sealed = (await find(db, name)) ?? (await create(db, secrets, name, now))
	const raw = await secrets.unseal(dataKeySeal.purpose, sealed, name)
	if (raw === null)
		throw new Error(`the key ${name} can't be decrypted with AUTH_SECRET; set AUTH_SECRET_PREVIOUS`)
	const hmac = { name: 'HMAC', hash: 'SHA-256' }
	const key = await crypto.subtle.importKey('raw', fromBase64url(raw), hmac, false, ['sign'])
	return toBase64url(await crypto.subtle.sign('HMAC', key, new TextEncoder().encode(text)))
}

async function find(db: Db, name: DataKeyName): Promise<string | undefined> {
	const [row] = await db.select({ sealed: dataKeys.sealed }).from(dataKeys).where(eq(dataKeys.name, name))
	return row?.sealed
}

/** Creates the key. Concurrent calls all return the same one. */
async function create(db: Db, secrets: Secrets, name: DataKeyName, now: number): Promise<string> {
	const raw = randomBase64url()
	const sealed = await secrets.seal(dataKeySeal.purpose, raw, name)
	await db.insert(dataKeys).values({ name, sealed, createdAt: now }).onConflictDoNothing()
	return (await find(db, name)) ?? sealed
}
