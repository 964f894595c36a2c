import type { SignedIn } from '#schema/contract/accounts/identity.ts'
import { MAX_PASSKEYS } from '#schema/contract/accounts/sign-in/passkeys.ts'
import type { NewPasskeyCredential, PasskeyAssertion } from '#schema/contract/accounts/sign-in/webauthn.ts'
import type { Person } from '../../../http/caller.ts'
import { AppError, notFoundError } from '../../../http/errors.ts'
import { unverifiedAddressError } from '../../../http/verified-address.ts'
import { newId } from '../../../platform/database/ids.ts'
import { isUniqueViolation } from '../../../platform/database/unique-violation.ts'
import type { Deps } from '../../../platform/deps.ts'
import { fromBase64url, sha256 } from '../../../platform/tokens/digest.ts'
import type { Origin } from '../origins/origin.ts'
import { factorRequiredError } from '../second-factor/enrolment.ts'
import { newRecoveryCodes } from '../second-factor/recovery-codes.ts'
import { signIn } from '../sign-in.ts'
import { identityStore } from '../store.ts'
import { type AuthenticatorData, readAuthenticatorData } from './authenticator-data.ts'
import { CHALLENGE_MS, newChallenge } from './challenge.ts'
import { checkClientData } from './client-data.ts'
import { type PasskeyRow, passkeyStore } from './passkey-store.ts'
import { chooseRelyingParty } from './relying-party.ts'
import { importPublicKey, passkeyAlgorithms } from './signatures.ts'
import { usePasskey } from './use-passkey.ts'
import { deriveUserHandle } from './user-handle.ts'

const publicKeyType = 'public-key' as const
const tooManyError = () =>
	new AppError(
		'conflict',
		`an account has at most ${MAX_PASSKEYS} passkeys; delete one first, or sign in again if the session has ended`,
	)

/** Returns the options of `navigator.credentials.create`. */
export async function buildRegistrationOptions(deps: Deps, person: Person, request: Request) {
	if (!person.emailVerified) throw unverifiedAddressError()
	const { id } = chooseRelyingParty(deps.env, request)
	const registered = await passkeyStore(deps.db).list(person.userId)
	return {
		challenge: await newChallenge(deps, `registration ${person.userId}`),
		timeout: CHALLENGE_MS,
		rp: { id, name: 'Playhouse' },
		user: { id: await deriveUserHandle(deps, person.userId), name: person.email, displayName: person.name },
		pubKeyCredParams: passkeyAlgorithms.map((alg) => ({ type: publicKeyType, alg })),
		excludeCredentials: registered.map(({ credentialId }) => ({ type: publicKeyType, id: credentialId })),
		authenticatorSelection: {
			residentKey: 'required' as const,
			requireResidentKey: true as const,
			userVerification: 'required' as const,
		},
		attestation: 'none' as const,
	}
}

/** Returns the options of `navigator.credentials.get`. They name no account, so they reveal none. */
export async function buildSignInOptions(deps: Deps, request: Request) {
	return {
		challenge: await newChallenge(deps, 'sign-in'),
		timeout: CHALLENGE_MS,
		rpId: chooseRelyingParty(deps.env, request).id,
		allowCredentials: [],
		userVerification: 'required' as const,
	}
}

type NewPasskey = { name: string; credential: NewPasskeyCredential }

/**
 * Registers a passkey (WebAuthn level 3, section 7.1), with recovery codes for the account's first factor. No
 * attestation is requested, so only the session proves whose key this is.
 */
export async function addPasskey(deps: Deps, person: Person, input: NewPasskey, request: Request) {
	const { work, now } = deps
	if (!person.emailVerified) throw unverifiedAddressError()
	const { challenge, expiresAt, data } = await checkCredential(deps, person, input.credential, request)
	const store = passkeyStore(deps.db)
	if (!(await store.useChallenge(await sha256(challenge), expiresAt))) throw invalidCredentialError()
	const { id: credentialId, response } = input.credential
	const row: PasskeyRow = {
		id: newId('psk', now),
		userId: person.userId,
		name: input.name,
		credentialId,
		publicKey: response.publicKey,
		algorithm: response.publicKeyAlgorithm,
		counter: data.counter,
		backedUp: data.isBackedUp,
		createdAt: now,
		lastUsedAt: null,
	}
	const { codes, hashes } = await newRecoveryCodes()
	try {
		const { isAdded, hasNewCodes } = await store.add(work, row, person.sessionId, hashes)
		if (!isAdded) throw tooManyError()
		return { passkey: row, recoveryCodes: hasNewCodes ? codes : null }
	} catch (error) {
		if (isUniqueViolation(error)) throw new AppError('conflict', 'this passkey is already registered')
		throw error
	}
}

async function checkCredential(
	deps: Deps,
	{ userId }: Person,
	{ id, response }: NewPasskeyCredential,
	request: Request,
) {
	const party = chooseRelyingParty(deps.env, request)
	const purpose = `registration ${userId}` as const
	const signed = await checkClientData(deps, response.clientDataJSON, 'webauthn.create', purpose, party)
	const data = readData(response.authenticatorData)
	const { publicKey, publicKeyAlgorithm: algorithm } = response
	const isValid =
		data?.isUserVerified &&
		data.credentialId === id &&
		data.rpIdHash === (await sha256(party.id)) &&
		(await importPublicKey({ publicKey, algorithm })) !== null
	if (!signed || !isValid) throw invalidCredentialError()
	return { ...signed, data }
}

function readData(text: string): AuthenticatorData | null {
	try {
		return readAuthenticatorData(fromBase64url(text))
	} catch {
		return null
	}
}

const invalidCredentialError = () =>
	new AppError(
		'validation',
		'credential: was not created with current options of this installation; get new options and try again',
	)

export async function renamePasskey(deps: Deps, person: Person, id: string, name: string) {
	const renamed = await passkeyStore(deps.db).rename(id, person.userId, name)
	if (!renamed) throw notFoundError('passkey')
	return renamed
}

export async function deletePasskey(deps: Deps, person: Person, id: string): Promise<void> {
	const store = passkeyStore(deps.db)
	if (await store.remove(deps.work, id, person.userId, deps.env.vars.SUPERADMIN_SECOND_FACTOR)) return
	if (await store.find(id, person.userId)) throw factorRequiredError()
	throw notFoundError('passkey')
}

export async function signInWithPasskey(
	deps: Deps,
	assertion: PasskeyAssertion,
	origin: Origin,
): Promise<SignedIn> {
	const passkey = await usePasskey(deps, assertion, origin.request)
	const user = passkey && (await identityStore(deps.db).findUser(passkey.userId))
	if (!user)
		throw new AppError('unauthorized', 'this passkey is not registered, or the request is too old; try again')
	return signIn(deps, user, origin, 'passkey', 'proved')
}
