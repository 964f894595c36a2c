import { findIdempotencyKeyUse } from '#schema/contract/kit/idempotency-key.ts'
import type { Operation } from '#schema/contract/kit/operation.ts'
import { DAY, MINUTE } from '../platform/clock.ts'
import { idempotencyStore } from '../platform/database/idempotency-store.ts'
import type { Deps } from '../platform/deps.ts'
import { fromBase64url, sha256, toBase64url } from '../platform/tokens/digest.ts'
import { readOptionalBytes } from './body/bytes-body.ts'
import type { Caller } from './caller.ts'
import { AppError } from './errors.ts'

const IDEMPOTENCY_KEY = 'idempotency-key'

/** How long a request locks its key. */
const LOCK_MS = MINUTE

type Keyed = {
	op: Operation
	deps: Deps
	caller: Caller | undefined
	ip: string
	/** Parameters, query and body. */
	input: object
}

/**
 * Runs the first request with an `Idempotency-Key` and stores a successful response for a day. A retry gets that
 * response; with a different body 422, and while the first one runs 409. Errors are not stored: many are temporary
 * (409, 404, 429), and anonymous callers could fill the table.
 */
export async function answerIdempotently(
	{ op, deps, caller, ip, input }: Keyed,
	request: Request,
	act: (request: Request) => Promise<Response>,
): Promise<Response> {
	const key = request.headers.get(IDEMPOTENCY_KEY)
	const use = findIdempotencyKeyUse(op)
	if (key === null || use === 'needless') return act(request)
	if (use === 'unkept') {
		const response = await act(request)
		response.headers.set('idempotency-key-kept', 'no')
		return response
	}
	if (!/^[\x21-\x7e]{1,255}$/.test(key))
		throw new AppError('validation', 'Idempotency-Key: must be 1 to 255 visible ASCII characters')
	const { secrets } = deps
	if (!secrets)
		throw new AppError('not_configured', 'Idempotency-Key: not set up, because AUTH_SECRET is missing')

	const scope = `${subjectOf(caller, ip)} ${op.id} ${key}`
	const { bytesHash, repeatable } = await readOnce(op, request)
	const [ids, requestHashes, sealingKeys] = await Promise.all([
		secrets.hmacs('idempotency', scope),
		// An HMAC under the Idempotency-Key, which is never stored, because a plain hash would allow guessing a password
		// in the input.
		secrets.hmacs('idempotency', `${scope} ${JSON.stringify({ ...input, bytesHash })}`),
		secrets.hmacs('idempotency', `seal ${scope}`),
	])
	const [id = '', ...formerIds] = ids
	const requestHash = requestHashes[0] ?? ''
	const store = idempotencyStore(deps.db)
	// Checks for a response stored under AUTH_SECRET_PREVIOUS, which exists only during a rotation.
	for (const [i, formerId] of formerIds.entries()) {
		const kept = await store.find(formerId)
		if (kept && kept.expiresAt >= deps.now && (kept.status !== null || kept.lockedUntil >= deps.now))
			return answerKept(kept, requestHashes[i + 1] ?? '', sealingKeys[i + 1] ?? '')
	}
	const claim = {
		id,
		requestHash,
		now: deps.now,
		lockedUntil: deps.now + LOCK_MS,
		expiresAt: deps.now + DAY,
	}
	if (!(await store.claim(claim))) return answerKept(await store.find(id), requestHash, sealingKeys[0] ?? '')

	const response = await act(repeatable).catch(async (error) => {
		await store.release(claim)
		throw error
	})
	if (!response.ok) {
		await store.release(claim)
		return response
	}
	try {
		const whole: Kept = { body: await response.clone().text(), headers: Object.fromEntries(response.headers) }
		const answer = await seal(await sealingKey(sealingKeys[0] ?? ''), JSON.stringify(whole))
		await store.storeResponse(claim, response.status, answer)
	} catch (error) {
		// The request has succeeded. Releasing the key would let a retry repeat it.
		deps.log.error('a response for an Idempotency-Key could not be kept', error)
	}
	return response
}

type Row = Awaited<ReturnType<ReturnType<typeof idempotencyStore>['find']>>

async function answerKept(row: Row, requestHash: string, rawKey: string): Promise<Response> {
	if (row && row.requestHash !== requestHash)
		throw new AppError(
			'idempotency_mismatch',
			'this Idempotency-Key was used for a different request; send a new key',
		)
	if (!row?.answer || row.status === null)
		throw new AppError(
			'request_in_flight',
			'a request with this Idempotency-Key is still in progress; retry later',
			{
				headers: { 'retry-after': '2' },
			},
		)
	const { body, headers }: Kept = JSON.parse(await unseal(await sealingKey(rawKey), row.answer))
	return new Response(body || null, {
		status: row.status,
		headers: { ...headers, 'idempotent-replayed': 'true' },
	})
}

/** Reads a binary body to detect different bytes under the same key. The handler reads them again. */
async function readOnce({ takesBytes }: Operation, request: Request) {
	if (!takesBytes) return { repeatable: request }
	const bytes = await readOptionalBytes(request, takesBytes.maxBytes)
	const { url, method, headers, signal } = request
	return {
		bytesHash: await sha256(bytes),
		repeatable: new Request(url, { method, headers, signal, body: bytes }),
	}
}

type Kept = { body: string; headers: Record<string, string> }

/** Anonymous callers are distinguished by address, since two may choose the same key and send the same body. */
const subjectOf = (caller: Caller | undefined, ip: string): string => {
	if (!caller) return `anyone at ${ip}`
	if (caller.kind === 'machine') return `machine ${caller.machineId}`
	if (caller.kind === 'upload') return `upload ${caller.assetId}`
	if (caller.kind === 'person' && caller.impersonation) return `impersonation ${caller.impersonation.id}`
	if (caller.kind === 'member') return `member ${caller.membershipId}`
	return caller.kind === 'key' ? `key ${caller.keyId}` : `user ${caller.userId} ${caller.org?.id}`
}

/** Derived from the Idempotency-Key, which is never stored, so only its sender can read the stored response. */
const sealingKey = (raw: string): Promise<CryptoKey> =>
	crypto.subtle.importKey('raw', fromBase64url(raw), 'AES-GCM', false, ['encrypt', 'decrypt'])

async function seal(key: CryptoKey, text: string): Promise<string> {
	const iv = crypto.getRandomValues(new Uint8Array(12))
	const sealed = await crypto.subtle.encrypt({ name: 'AES-GCM', iv }, key, new TextEncoder().encode(text))
	return `${toBase64url(iv)}.${toBase64url(sealed)}`
}

async function unseal(key: CryptoKey, sealed: string): Promise<string> {
	const [iv = '', bytes = ''] = sealed.split('.')
	const clear = await crypto.subtle.decrypt(
		{ name: 'AES-GCM', iv: fromBase64url(iv) },
		key,
		fromBase64url(bytes),
	)
	return new TextDecoder().decode(clear)
}
