import { z } from 'zod'
import { openToBrowsers } from '../../kit/bodies/open-bodies.ts'
import { data, Line, PasskeyId, Timestamp } from '../../kit/fields.ts'
import { unkeptProof } from '../../kit/idempotency-key.ts'
import { describeOperations } from '../../kit/operation.ts'
import { deviceTokenResponse, SignedIn } from '../identity.ts'
import { NewRecoveryCodes } from './second-factor.ts'
import { NewPasskeyCredential, PasskeyAssertion } from './webauthn.ts'

const operation = describeOperations('Passkeys')

const PasskeyName = Line.min(1).max(100)

export const Passkey = z
	.object({
		id: PasskeyId,
		name: z.string(),
		backedUp: z.boolean().meta({ description: 'Whether the authenticator keeps the key in several places' }),
		createdAt: Timestamp,
		lastUsedAt: Timestamp.nullable(),
	})
	.meta({ id: 'Passkey' })
export type Passkey = z.infer<typeof Passkey>

export const MAX_PASSKEYS = 20

const credential = z.object({ type: z.literal('public-key'), id: z.string() })

export const createPasskeyOptions = operation({
	id: 'createPasskeyOptions',
	method: 'post',
	path: '/v1/auth/passkeys/registration-options',
	summary: 'Get the options to create a passkey with',
	description:
		'`publicKey` is the JSON form of the options of `navigator.credentials.create`: pass it to `PublicKeyCredential.parseCreationOptionsFromJSON`. The challenge works once, for 5 minutes. Needs a verified email address.',
	auth: 'session',
	audit: 'none: own account',
	idempotencyKey: { unkept: 'a challenge works once' },
	shield: 'credentials',
	recentProof: true,
	response: data(
		z.object({
			publicKey: z.object({
				challenge: z.string(),
				timeout: z.int(),
				rp: z.object({ id: z.string(), name: z.string() }),
				user: z.object({ id: z.string(), name: z.string(), displayName: z.string() }),
				pubKeyCredParams: z.array(z.object({ type: z.literal('public-key'), alg: z.int() })),
				excludeCredentials: z.array(credential),
				authenticatorSelection: z.object({
					residentKey: z.literal('required'),
					requireResidentKey: z.literal(true),
					userVerification: z.literal('required'),
				}),
				attestation: z.literal('none'),
			}),
		}),
	),
	errors: ['not_configured'],
})

export const createPasskey = operation({
	id: 'createPasskey',
	method: 'post',
	path: '/v1/auth/passkeys',
	summary: 'Register a passkey',
	description: `Takes what \`navigator.credentials.create\` returned, as \`toJSON()\` writes it. The authenticator must have verified the user. An account has at most ${MAX_PASSKEYS} passkeys (409). If it had no second factor, this ends all other sessions and returns recovery codes.`,
	auth: 'session',
	audit: 'none: own account',
	openBody: openToBrowsers('credential'),
	shield: 'credentials',
	recentProof: true,
	body: z.object({ name: PasskeyName, credential: NewPasskeyCredential }),
	status: 201,
	response: data(z.object({ passkey: Passkey, recoveryCodes: NewRecoveryCodes })),
	errors: ['not_configured', 'conflict'],
})

export const listPasskeys = operation({
	id: 'listPasskeys',
	method: 'get',
	path: '/v1/auth/passkeys',
	summary: 'List the passkeys of the signed-in user, newest first',
	auth: 'session',
	response: data(z.array(Passkey)),
})

const PasskeyParams = z.object({ passkeyId: PasskeyId })

export const updatePasskey = operation({
	id: 'updatePasskey',
	method: 'patch',
	path: '/v1/auth/passkeys/{passkeyId}',
	summary: 'Rename a passkey',
	auth: 'session',
	audit: 'none: own account',
	params: PasskeyParams,
	body: z.object({ name: PasskeyName }),
	response: data(Passkey),
	errors: ['not_found'],
})

export const deletePasskey = operation({
	id: 'deletePasskey',
	method: 'delete',
	path: '/v1/auth/passkeys/{passkeyId}',
	summary: 'Delete a passkey',
	description:
		'Returns 409 for the last second factor of the account if an organization of the user, or the installation, requires one.',
	auth: 'session',
	audit: 'none: own account',
	recentProof: true,
	params: PasskeyParams,
	response: data(z.object({ id: PasskeyId, deleted: z.literal(true) })),
	errors: ['not_found', 'conflict'],
})

export const createSignInOptions = operation({
	id: 'createSignInOptions',
	method: 'post',
	path: '/v1/auth/passkeys/sign-in-options',
	summary: 'Get the options to sign in or reauthenticate with a passkey',
	description:
		'`publicKey` is the JSON form of the options of `navigator.credentials.get`: pass it to `PublicKeyCredential.parseRequestOptionsFromJSON`. It names no account: the authenticator lets the user choose a passkey. The challenge works once, for 5 minutes.',
	auth: 'public',
	audit: 'none: own account',
	idempotencyKey: { unkept: 'a challenge works once' },
	shield: 'credentials',
	response: data(
		z.object({
			publicKey: z.object({
				challenge: z.string(),
				timeout: z.int(),
				rpId: z.string(),
				allowCredentials: z.array(credential),
				userVerification: z.literal('required'),
			}),
		}),
	),
	errors: ['not_configured'],
})

export const signInWithPasskey = operation({
	id: 'signInWithPasskey',
	sdk: 'passkeys.signIn',
	method: 'post',
	path: '/v1/auth/passkeys/sign-in',
	summary: 'Sign in with a passkey',
	description:
		'Takes what `navigator.credentials.get` returned, as `toJSON()` writes it. The authenticator has verified the user, so this is both factors at once: it needs no password, and completes a sign-in that got 401 `second_factor_required`.',
	auth: 'public',
	audit: 'none: own account',
	idempotencyKey: unkeptProof,
	openBody: openToBrowsers('passkey'),
	shield: 'credentials',
	...deviceTokenResponse,
	body: z.object({ passkey: PasskeyAssertion }),
	signsIn: 'session',
	response: data(SignedIn),
	errors: ['unauthorized', 'account_locked', 'not_configured'],
})
