import {
	createPasskey,
	createPasskeyOptions,
	createSignInOptions,
} from '#schema/contract/accounts/sign-in/passkeys.ts'
import type { NewPasskeyCredential, PasskeyAssertion } from '#schema/contract/accounts/sign-in/webauthn.ts'
import { fromBase64url, toBase64url } from '../../../../../edge/platform/tokens/digest.ts'
import type { World } from '../../../../support/edge/world.ts'

const PRESENT_AND_VERIFIED = 0x05
const HAS_CREDENTIAL = 0x40
const encoder = new TextEncoder()
const es256 = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
const rs256 = {
	name: 'RSASSA-PKCS1-v1_5',
	hash: 'SHA-256',
	modulusLength: 2048,
	publicExponent: new Uint8Array([1, 0, 1]),
}

/** What an authenticator or a hostile client may do differently. */
export type Deviation = {
	origin?: string
	crossOrigin?: boolean
	type?: string
	rpId?: string
	flags?: number
	counter?: number
	userHandle?: string
}

/** An authenticator that keeps one passkey for https://edge.test. */
export async function openAuthenticator(algorithm: -7 | -257 = -7) {
	const kind = algorithm === -7 ? es256 : rs256
	const keys = (await crypto.subtle.generateKey(kind, true, ['sign', 'verify'])) as CryptoKeyPair
	const publicKey = toBase64url((await crypto.subtle.exportKey('spki', keys.publicKey)) as ArrayBuffer)
	const rawId = crypto.getRandomValues(new Uint8Array(32))
	const id = toBase64url(rawId)
	let counter = 0
	let handle: string | undefined

	const clientData = (type: string, challenge: string, { origin, crossOrigin }: Deviation) =>
		encoder.encode(
			JSON.stringify({
				type,
				challenge,
				origin: origin ?? 'https://edge.test',
				crossOrigin: crossOrigin ?? false,
			}),
		)

	async function authenticatorData({ rpId, flags, counter: count }: Deviation, credential: number[] = []) {
		const hash = await crypto.subtle.digest('SHA-256', encoder.encode(rpId ?? 'edge.test'))
		const head = new Uint8Array(37)
		head.set(new Uint8Array(hash))
		head[32] = (flags ?? PRESENT_AND_VERIFIED) | (credential.length > 0 ? HAS_CREDENTIAL : 0)
		new DataView(head.buffer).setUint32(33, count ?? counter)
		return Uint8Array.from([...head, ...credential])
	}

	return {
		id,
		async create(
			{ challenge, user }: { challenge: string; user: { id: string } },
			deviation: Deviation = {},
		): Promise<NewPasskeyCredential> {
			handle = user.id
			// The AAGUID, the length of the id, the id, and the first byte of a COSE key, which nobody reads.
			const credential = [...new Uint8Array(16), 0, rawId.length, ...rawId, 0xa5]
			return {
				id,
				type: 'public-key',
				response: {
					clientDataJSON: toBase64url(clientData(deviation.type ?? 'webauthn.create', challenge, deviation)),
					authenticatorData: toBase64url(await authenticatorData(deviation, credential)),
					publicKey,
					publicKeyAlgorithm: algorithm,
				},
			}
		},
		async get(challenge: string, deviation: Deviation = {}): Promise<PasskeyAssertion> {
			counter++
			const client = clientData(deviation.type ?? 'webauthn.get', challenge, deviation)
			const data = await authenticatorData(deviation)
			const signed = Uint8Array.from([
				...data,
				...new Uint8Array(await crypto.subtle.digest('SHA-256', client)),
			])
			const signature = new Uint8Array(await crypto.subtle.sign(kind, keys.privateKey, signed))
			return {
				id,
				type: 'public-key',
				response: {
					clientDataJSON: toBase64url(client),
					authenticatorData: toBase64url(data),
					signature: toBase64url(algorithm === -7 ? derOf(signature) : signature),
					userHandle: deviation.userHandle ?? handle,
				},
			}
		},
	}
}

export type Authenticator = Awaited<ReturnType<typeof openAuthenticator>>

/** Encodes an ECDSA signature as authenticators do. */
function derOf(raw: Uint8Array): Uint8Array {
	const integers = [raw.subarray(0, 32), raw.subarray(32)].flatMap((number) => {
		const digits = [...number.subarray(number.findIndex((byte) => byte !== 0))]
		const positive = (digits[0] ?? 0) & 0x80 ? [0, ...digits] : digits
		return [2, positive.length, ...positive]
	})
	return Uint8Array.from([0x30, integers.length, ...integers])
}

/** Registers a new passkey; the session must have a recent proof. */
export async function addPasskey(
	world: World,
	who: { token: string },
	name = 'Laptop',
	algorithm?: -7 | -257,
) {
	const authenticator = await openAuthenticator(algorithm)
	const { publicKey } = (await world.ask(createPasskeyOptions, {}, who)).ok.data
	const credential = await authenticator.create(publicKey)
	const { passkey, recoveryCodes } = (await world.ask(createPasskey, { body: { name, credential } }, who)).ok
		.data
	return { authenticator, passkey, recoveryCodes }
}

export async function signChallenge(world: World, authenticator: Authenticator, deviation?: Deviation) {
	const { challenge } = (await world.ask(createSignInOptions, {})).ok.data.publicKey
	return authenticator.get(challenge, deviation)
}

/** Changes one bit of the first byte of a text in base64url. */
export function flip(text: string): string {
	const bytes = fromBase64url(text)
	bytes[0] = (bytes[0] ?? 0) ^ 1
	return toBase64url(bytes)
}
