import { HOUR, toUtcDay } from '../../../platform/clock.ts'
import type { Deps } from '../../../platform/deps.ts'
import { toCallerNetwork } from '../../../platform/network/network.ts'
import { readUserAgent } from '../../../platform/network/user-agent.ts'
import type { Bucket } from '../../../platform/storage/bucket.ts'
import { toHex } from '../../../platform/tokens/digest.ts'

/**
 * Excluded from backups (docs/operations/operations.md), so that nobody can recompute visitor ids after the salt is deleted.
 */
const SALT_PREFIX = 'analytics-salts/'
const SALT_BYTES = 32
const MARK_BYTES = 8

const salts = new Map<string, CryptoKey>()

/**
 * Returns a pseudonym that is stable for one IP address, browser and organization during one day (UTC). The salt is deleted
 * the next day, and nothing else links a pseudonym to a person or to another day.
 */
export async function markVisitor(deps: Deps, orgId: string, ip: string, headers: Headers): Promise<string> {
	const text = `${orgId}\n${ip}\n${readUserAgent(headers)}`
	return markOf(deps, text)
}

/**
 * Returns a pseudonym of the viewer's network, for one video and one day. It is not stored with the session; null if the
 * platform does not provide the IP address.
 */
export async function markNetwork(deps: Deps, playbackId: string, ip: string): Promise<string | null> {
	return /[.:]/.test(ip) ? markOf(deps, `${playbackId}\n${toCallerNetwork(ip)}`) : null
}

async function markOf(deps: Deps, text: string): Promise<string> {
	const key = await saltOf(deps, toUtcDay(deps.now))
	const digest = await crypto.subtle.sign('HMAC', key, new TextEncoder().encode(text))
	return toHex(new Uint8Array(digest).slice(0, MARK_BYTES))
}

async function saltOf({ objects }: Deps, day: string): Promise<CryptoKey> {
	const known = salts.get(day)
	if (known) return known
	const bytes = (await readSalt(objects.vault, day)) ?? (await makeSalt(objects.vault, day))
	const salt = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
	salts.clear()
	salts.set(day, salt)
	return salt
}

async function readSalt(vault: Bucket, day: string): Promise<ArrayBuffer | null> {
	const found = await vault.get(SALT_PREFIX + day)
	return found.state === 'found' ? new Response(found.body).arrayBuffer() : null
}

/** Every location must use the same salt: the one that was stored first. */
async function makeSalt(vault: Bucket, day: string): Promise<ArrayBuffer> {
	const bytes = crypto.getRandomValues(new Uint8Array(SALT_BYTES))
	await vault.put(SALT_PREFIX + day, bytes, { onlyIf: 'absent' })
	return (await readSalt(vault, day)) ?? bytes.buffer
}

/** Deletes the salts of former days, an hour late, when no request of that day is in flight. */
export async function deleteOldSalts({ objects, now }: Deps): Promise<void> {
	const kept = SALT_PREFIX + toUtcDay(now - HOUR)
	const { objects: found } = await objects.vault.list(SALT_PREFIX)
	const old = found.map(({ key }) => key).filter((key) => key < kept)
	if (old.length > 0) await objects.vault.delete(old)
}
