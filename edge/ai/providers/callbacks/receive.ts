import { MAX_CALLBACK_BYTES } from '#schema/contract/ai/callback.ts'
import { readBytes } from '../../../http/body/bytes-body.ts'
import { AppError, notFoundError } from '../../../http/errors.ts'
import { requireSecrets } from '../../../http/require-secrets.ts'
import { DAY } from '../../../platform/clock.ts'
import type { Deps } from '../../../platform/deps.ts'
import { sha256, toBase64url } from '../../../platform/tokens/digest.ts'
import { callStore } from '../calls/store.ts'
import { findCapabilityProvider, isSignedForCall, readSignedHeaders } from './call-secret.ts'
import { BODY_BUCKET, deliveryStore, RESEND_MS } from './delivery-store.ts'

/**
 * Providers that can't sign, so their URL contains a capability. `body`: the body is accepted. `hint`: the body is
 * only a notification, and the result is fetched with our key.
 */
const unsigned = { deepgram: 'body', assemblyai: 'hint' } as const

const unsignedProviders = Object.keys(unsigned)

/** Returns how much a provider's body is trusted. */
const bodyTrust = (provider: string): 'body' | 'hint' => unsigned[provider as keyof typeof unsigned] ?? 'hint'

const unauthorizedError = () => new AppError('unauthorized', 'the signature or capability is not valid')

/** `known`: a repeated delivery. `ignored`: it is no longer needed. */
export type Receipt = 'accepted' | 'known' | 'ignored'

/**
 * Receives a provider's request about a call. Reads the body only if the call exists, and parses it only with a valid
 * proof. Stores only the raw body; the queue does the rest, so content never causes an error here.
 */
export async function receiveCallback(
	deps: Deps,
	{ call: callId = '', cap }: { call?: string | undefined; cap?: string | undefined },
	request: Request,
): Promise<Receipt> {
	const { db, now, objects } = deps
	const proof = await proofOf(deps, callId, cap, request.headers)
	const row = await callStore(db).find(callId)
	// The signature covers the body and is not checked yet: unknown callers must not learn which calls exist.
	if (!row) throw proof.signed ? unauthorizedError() : notFoundError('call')
	if (proof.provider !== null && proof.provider !== row.provider) throw unauthorizedError()
	const body = await readBytes(request, MAX_CALLBACK_BYTES)
	if (proof.signed && !(await isSignedForCall(proof.secrets, callId, proof.signed, body)))
		throw unauthorizedError()
	const named = proof.signed ? namesIn(body) : {}
	if (named.callId !== undefined && named.callId !== callId) throw unauthorizedError()
	const trust = proof.signed ? ('signed' as const) : bodyTrust(row.provider)
	const deliveryId = proof.signed
		? `id ${proof.signed.id}`
		: `body ${toBase64url(await crypto.subtle.digest('SHA-256', body))}`
	const store = deliveryStore(db)
	if (await store.find(callId, deliveryId)) return 'known'
	if (named.epoch !== undefined && named.epoch < row.epoch) return 'ignored'
	const bodyKey = `ai-callbacks/${callId}/${await sha256(deliveryId)}`
	if (!(await store.announceBody(callId, bodyKey, now + DAY))) return 'ignored'
	await objects[BODY_BUCKET].put(bodyKey, body, { contentType: 'application/json' })
	const delivery = {
		...{ callId, deliveryId, orgId: row.orgId, trust, bodyKey },
		...{ receivedAt: now, dueAt: now + RESEND_MS },
	} as const
	if (!(await store.record(delivery))) return 'known'
	await deps.send({ type: 'ai.callback', callId, deliveryId })
	return 'accepted'
}

/** Checks the capability, or the format and age of a signature. */
async function proofOf(deps: Deps, callId: string, cap: string | undefined, headers: Headers) {
	const secrets = requireSecrets(deps, 'callbacks')
	if (cap !== undefined) {
		const provider = await findCapabilityProvider(secrets, callId, cap, unsignedProviders, deps.now)
		if (provider === null) throw unauthorizedError()
		return { secrets, provider, signed: null }
	}
	const signed = readSignedHeaders(headers, deps.now)
	if (!signed) throw unauthorizedError()
	return { secrets, provider: null, signed }
}

/** Returns the call and the epoch named in a body. The queue handles unreadable ones. */
function namesIn(body: Uint8Array): { callId?: unknown; epoch?: number } {
	try {
		const { callId, epoch } = JSON.parse(new TextDecoder().decode(body)) ?? {}
		return { ...(callId !== undefined && { callId }), ...(typeof epoch === 'number' && { epoch }) }
	} catch {
		return {}
	}
}
