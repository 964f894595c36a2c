import { z } from 'zod'
import { DAY } from '../../../platform/clock.ts'
import { openDatabase } from '../../../platform/database/database.ts'
import type { Deps } from '../../../platform/deps.ts'
import { REWIND_FOLDER, readVaultCheckpoint } from '../../../platform/rewind/vault-checkpoint.ts'
import { Revocation } from './revocations.ts'
import { rewindStore } from './store.ts'

/** The keys sort by checkpoint, then by time. */
const FOLDER = `${REWIND_FOLDER}revocations/`
const NUMBER_DIGITS = 12
const TIME_DIGITS = 14

const keyBefore = (checkpoint: number): string => FOLDER + String(checkpoint).padStart(NUMBER_DIGITS, '0')

/** Copies revocations out of the database, because a restored backup lacks every one after it. */
export async function writeRevocations(
	{ now, objects }: Pick<Deps, 'now' | 'objects'>,
	checkpoint: number,
	revocations: readonly Revocation[],
): Promise<void> {
	if (revocations.length === 0) return
	const time = String(now).padStart(TIME_DIGITS, '0')
	const key = `${keyBefore(checkpoint)}-${time}-${crypto.randomUUID()}.json`
	await objects.vault.put(key, JSON.stringify(revocations), { contentType: 'application/json' })
}

/**
 * Copies the revocations of a request at once, because the minute's run may never come. That run copies them again,
 * together with what failed here. The statements are not those of the request.
 */
export async function copyRevocations({
	env,
	now,
	objects,
}: Pick<Deps, 'env' | 'now' | 'objects'>): Promise<void> {
	const stored = await readVaultCheckpoint(objects.vault)
	if (!stored) return
	const store = rewindStore(openDatabase(env, () => undefined))
	await writeRevocations({ now, objects }, stored.number, await store.findRevocations(stored.logged, now))
}

/**
 * Returns the key of the next object, oldest first. Begins with those of the checkpoint itself, because some of them may be
 * newer than its row.
 */
export async function findNextRevocationKey(
	{ env }: Deps,
	checkpoint: number,
	after: string | null,
): Promise<string | null> {
	// A hyphen follows the number, and sorts before a tilde.
	const startAfter = after ?? (checkpoint > 0 ? `${keyBefore(checkpoint - 1)}~` : FOLDER)
	const { objects } = await env.bindings.VAULT.list({ prefix: FOLDER, startAfter, limit: 1 })
	return objects[0]?.key ?? null
}

export async function readRevocations({ objects }: Deps, key: string): Promise<Revocation[]> {
	const found = await objects.vault.get(key)
	return found.state === 'found' ? z.array(Revocation).parse(await new Response(found.body).json()) : []
}

/** Deletes revocations that are older than every backup. */
export async function pruneRevocations({ env, now, objects }: Deps): Promise<void> {
	const before = now - env.vars.ERASURE_LEDGER_DAYS * DAY
	for (;;) {
		const page = await objects.vault.list(FOLDER)
		const old = page.objects.filter(({ uploadedAt }) => uploadedAt < before)
		await objects.vault.delete(old.map(({ key }) => key))
		// The keys come oldest first.
		if (page.cursor === null || old.length < page.objects.length) return
	}
}
