import { toBase64url } from '../../../platform/tokens/digest.ts'

const HASH_BYTES = 32
const FLAGS_AT = 32
const COUNTER_AT = 33
const AAGUID_AT = 37
const ID_LENGTH_AT = 53
const ID_AT = 55

const USER_PRESENT = 0x01
const USER_VERIFIED = 0x04
const BACKED_UP = 0x10
const HAS_CREDENTIAL = 0x40

export type AuthenticatorData = {
	/** SHA-256 of the id of the relying party. */
	rpIdHash: string
	/** Whether somebody touched the authenticator, and proved to it who they are. */
	isUserVerified: boolean
	isBackedUp: boolean
	counter: number
	/** The id of a new credential, in base64url; null in an assertion. */
	credentialId: string | null
}

/** Reads the authenticator data of WebAuthn (level 3, section 6.1), or returns null if it is malformed. */
export function readAuthenticatorData(bytes: Uint8Array): AuthenticatorData | null {
	if (bytes.length < AAGUID_AT) return null
	const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
	const flags = view.getUint8(FLAGS_AT)
	const isVerified = USER_PRESENT | USER_VERIFIED
	const credentialId = flags & HAS_CREDENTIAL ? readCredentialId(bytes, view) : null
	if (flags & HAS_CREDENTIAL && credentialId === null) return null
	return {
		rpIdHash: toBase64url(bytes.subarray(0, HASH_BYTES)),
		isUserVerified: (flags & isVerified) === isVerified,
		isBackedUp: (flags & BACKED_UP) !== 0,
		counter: view.getUint32(COUNTER_AT),
		credentialId,
	}
}

function readCredentialId(bytes: Uint8Array, view: DataView): string | null {
	if (bytes.length < ID_AT) return null
	const end = ID_AT + view.getUint16(ID_LENGTH_AT)
	return end > ID_AT && end < bytes.length ? toBase64url(bytes.subarray(ID_AT, end)) : null
}
