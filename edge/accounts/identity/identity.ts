import type { SignedIn } from '#schema/contract/accounts/identity.ts'
import type { PasskeyAssertion } from '#schema/contract/accounts/sign-in/webauthn.ts'
import type { Person } from '../../http/caller.ts'
import { AppError, notFoundError, tooManyRequestsError } from '../../http/errors.ts'
import { requireNotFullySuspended } from '../../http/guards/suspension.ts'
import {
	computeProofEnd,
	hasRecentProof,
	requireRecentProof,
	requireRecentSecondFactor,
} from '../../http/recent-proof.ts'
import { newId, randomCode } from '../../platform/database/ids.ts'
import type { Deps } from '../../platform/deps.ts'
import { toCallerNetwork, toSubscriberRange } from '../../platform/network/network.ts'
import type { FirstFactor } from '../../platform/tokens/tokens.ts'
import { attemptCounter } from '../attempts/attempt-counter.ts'
import {
	codeByAccountAndSite,
	codeByDevice,
	codeByIp,
	codeByKnownDevices,
	passwordByUser,
	signupByIp,
} from './attempt-rules.ts'
import { CODE_LIFE_MS, type CodeRequester, codeStore } from './codes/code-store.ts'
import { credentialStore } from './credential-store.ts'
import { chooseInvitations } from './invitation-check.ts'
import { findKnownDevice, rememberDevice } from './origins/devices.ts'
import { admitLogin } from './origins/login-tries.ts'
import type { Origin } from './origins/origin.ts'
import { usePasskey } from './passkeys/use-passkey.ts'
import { hashNewPassword } from './passwords/new-password.ts'
import { useTotp } from './second-factor/totp-check.ts'
import { sessionStore } from './session-store.ts'
import { issueToken, signIn, wrongCredentialsError } from './sign-in.ts'
import { requireSigning } from './signing.ts'
import { createAccount, requireOpenRegistration } from './signup.ts'
import { identityStore } from './store.ts'
import { toPerson } from './view.ts'

const counterOf = (deps: Deps) => attemptCounter(deps.db, requireSigning(deps).secrets, deps.now)
export const sessionEndedError = () => new AppError('unauthorized', 'the session has ended; sign in again')
const wrongCodeError = () =>
	new AppError('unauthorized', 'the code is wrong or no longer valid; ask for a new one')

type SignupInput = { email: string; password: string; name: string; invitationToken?: string | undefined }

export async function signUp(deps: Deps, input: SignupInput, origin: Origin) {
	await counterOf(deps).count([{ rule: signupByIp, subject: toCallerNetwork(origin.ip) }])
	await requireOpenRegistration(deps, input.email, input.invitationToken)
	const passwordHash = await hashNewPassword(deps, {
		field: 'password',
		password: input.password,
		owner: input,
	})
	return createAccount(deps, { ...input, passwordHash, invitationToken: input.invitationToken }, origin)
}

export async function logIn(deps: Deps, email: string, password: string, origin: Origin): Promise<SignedIn> {
	const device = await findKnownDevice(deps, email, origin)
	const forgive = await admitLogin(counterOf(deps), email, origin.ip, device?.id ?? null)
	const store = identityStore(deps.db)
	const user = device?.user ?? (await store.findUserByEmail(email))
	const { ok, outdated } = await deps.passwords.verify(password, user?.passwordHash ?? null)
	if (!user || !ok) throw wrongCredentialsError()
	deps.defer(forgive())
	if (outdated)
		deps.defer(
			deps.passwords.hash(password).then((hash) => credentialStore(deps.db).replacePasswordHash(user, hash)),
		)
	return signIn(deps, user, origin, 'password', 'not proved')
}

/** Returns who requests or enters a code. An open session counts as a known device. */
async function findCodeRequester(
	deps: Deps,
	email: string,
	origin: Origin,
	sessionId?: string,
): Promise<CodeRequester> {
	const device = sessionId === undefined ? await findKnownDevice(deps, email, origin) : null
	// Until the address is verified, the known device may belong to somebody who signed up with another person's address.
	const deviceId = sessionId ?? (device?.user.emailVerifiedAt ? device.id : undefined)
	const isKnown = deviceId !== undefined
	const subject = `code asker ${isKnown ? `device ${deviceId}` : `site ${toSubscriberRange(origin.ip)}`}`
	return { id: await requireSigning(deps).secrets.hmac('attempt-subject', subject), isKnown }
}

/** Does the same work for every address, so timing reveals no accounts. The mail consumer decides who gets which mail. */
export async function sendCode(deps: Deps, email: string, origin: Origin): Promise<void> {
	const { secrets } = requireSigning(deps)
	const requester = await findCodeRequester(deps, email, origin)
	if (!requester.isKnown)
		await counterOf(deps).count([{ rule: codeByIp, subject: toCallerNetwork(origin.ip) }])
	const id = newId('otp', deps.now)
	const code = randomCode()
	const codes = codeStore(deps.db)
	const hash = await secrets.hmac('one-time-code', `${id} ${code}`)
	if (!(await codes.issue(id, email, hash, requester, deps.now)))
		throw tooManyRequestsError(
			((await codes.nextSendAt(email, requester, deps.now)) - deps.now) / 1000,
			'a code was already sent to this address; check your email or try again later',
		)
	await deps.send({ type: 'code.send', id, email, code, expiresAt: deps.now + CODE_LIFE_MS })
}

/** Counts an attempt and checks the code; throws 401 if it is wrong. The caller must then consume the code. */
async function checkCode(deps: Deps, email: string, code: string, origin: Origin, sessionId?: string) {
	const { secrets } = requireSigning(deps)
	const counter = counterOf(deps)
	const requester = await findCodeRequester(deps, email, origin, sessionId)
	const own = {
		rule: requester.isKnown ? codeByDevice : codeByAccountAndSite,
		subject: `${email} ${requester.id}`,
	}
	const all = requester.isKnown
		? { rule: codeByKnownDevices, subject: email }
		: { rule: codeByIp, subject: toCallerNetwork(origin.ip) }
	await counter.count([own, all])
	const codes = codeStore(deps.db)
	const row = await codes.spendTry(email, requester, deps.now)
	const isRight = await secrets.matches('one-time-code', `${row?.id ?? ''} ${code}`, row?.codeHash ?? '')
	if (!row || !isRight) throw wrongCodeError()
	deps.defer(counter.forgive(requester.isKnown ? [own, all] : [own]))
	return {
		async consume() {
			if (!(await codes.consume(row.id, deps.now))) throw wrongCodeError()
		},
	}
}

export async function verifyCode(deps: Deps, email: string, code: string, origin: Origin): Promise<SignedIn> {
	const checked = await checkCode(deps, email, code, origin)
	const user = await identityStore(deps.db).findUserByEmail(email)
	// Only the owner of the mailbox has the right code, so this error reveals nothing to others.
	if (!user)
		throw new AppError(
			'no_account',
			'there is no account with this address; send the code and a name to /v1/auth/otp/verify-signup',
		)
	await checked.consume()
	return signIn(deps, user, origin, 'code', 'not proved')
}

type CodeSignupInput = { email: string; code: string; name: string; invitationToken?: string | undefined }

export async function verifySignupCode(deps: Deps, input: CodeSignupInput, origin: Origin) {
	const { email, code, name, invitationToken } = input
	await requireOpenRegistration(deps, email, invitationToken)
	const checked = await checkCode(deps, email, code, origin)
	// An invalid invitation must not use up the code.
	if (invitationToken !== undefined)
		await chooseInvitations(deps, invitationToken).require(deps, invitationToken, email)
	await checked.consume()
	return createAccount(deps, { email, name, passwordHash: null, invitationToken }, origin)
}

/** Keeps the renewal id for a token derived from another one, so that a thief can't use it to extend a stolen token. */
export const viewCurrentSession = (person: Person) => ({
	id: person.sessionId,
	renewalId: person.renewalId,
	expiresAt: person.sessionExpiresAt,
})

/** Issues a token for another organization of the person. */
export async function switchOrg(deps: Deps, person: Person, orgId: string) {
	const row = await identityStore(deps.db).findPerson(person.sessionId, person.userId, orgId, deps.now)
	if (!row) throw sessionEndedError()
	if (!row.role || !row.orgId || !row.slug) throw notFoundError('organization')
	requireNotFullySuspended(row)
	const org = { id: row.orgId, slug: row.slug }
	return issueToken(deps, { ...row, id: row.userId }, viewCurrentSession(person), org)
}

/** Returns true right after a sign-in by code, which is how people who forgot their password recover an account. */
const mayResetPassword = (person: Person, now: number) => person.provedByCode && hasRecentProof(person, now)

type ShownProof = { password: string } | { code: string } | { totp: string } | { passkey: PasskeyAssertion }

/**
 * Renews the proof of identity in an open session, and returns its expiry. With a second factor, the password or the
 * mailbox alone must not suffice.
 */
export async function reauthenticate(
	deps: Deps,
	person: Person,
	proof: ShownProof,
	origin: Origin,
): Promise<number> {
	const { now } = deps
	const by = await checkProof(deps, person, proof, origin)
	const bySecondFactor = by === 'second factor'
	const recorded = { byCode: by === 'code', bySecondFactor }
	if (!(await sessionStore(deps.db).proveSession(person.sessionId, recorded, now))) throw sessionEndedError()
	return computeProofEnd({
		...person,
		provedAt: now,
		secondFactorAt: bySecondFactor ? now : person.secondFactorAt,
	})
}

async function checkProof(
	deps: Deps,
	person: Person,
	proof: ShownProof,
	origin: Origin,
): Promise<FirstFactor | 'second factor'> {
	if ('totp' in proof) {
		const sender = { userId: person.userId, knownAs: person.sessionId }
		if (await useTotp(deps, sender, proof.totp)) return 'second factor'
		throw new AppError('forbidden', 'the code is wrong or was used before; try the next one')
	}
	if ('passkey' in proof) {
		if ((await usePasskey(deps, proof.passkey, origin.request))?.userId === person.userId)
			return 'second factor'
		throw new AppError('forbidden', 'this passkey does not belong to the account, or the request is too old')
	}
	requireRecentSecondFactor(person, deps.now)
	if ('password' in proof) {
		await checkPassword(deps, person, proof.password)
		return 'password'
	}
	await consumeOwnCode(deps, person, proof.code, origin)
	await credentialStore(deps.db).verifyEmail(person.userId, person.email, deps.now)
	return 'code'
}

/** Throws 403 for a wrong password, since clients take a 401 as the end of the session. */
async function consumeOwnCode(deps: Deps, person: Person, code: string, origin: Origin): Promise<void> {
	try {
		const checked = await checkCode(deps, person.email, code, origin, person.sessionId)
		await checked.consume()
	} catch (error) {
		if (error instanceof AppError && error.code === 'unauthorized')
			throw new AppError('forbidden', error.message)
		throw error
	}
}

async function checkPassword(deps: Deps, person: Person, password: string): Promise<void> {
	const counter = counterOf(deps)
	const mine = { rule: passwordByUser, subject: String(person.userId) }
	await counter.count([mine])
	const user = await identityStore(deps.db).findUser(person.userId)
	const { ok } = await deps.passwords.verify(password, user?.passwordHash ?? null)
	if (!ok) throw new AppError('forbidden', 'the password is wrong')
	deps.defer(counter.forgive([mine]))
}

export async function changePassword(
	deps: Deps,
	person: Person,
	input: { currentPassword?: string | undefined; newPassword: string },
	origin: Origin,
): Promise<SignedIn> {
	requireRecentSecondFactor(person, deps.now)
	const counter = counterOf(deps)
	const mine = { rule: passwordByUser, subject: String(person.userId) }
	await counter.count([mine])
	const store = identityStore(deps.db)
	const user = await store.findUser(person.userId)
	if (!user) throw sessionEndedError()
	const wrongPasswordError = () => new AppError('forbidden', 'the current password is wrong')
	if (user.passwordHash === null) requireRecentProof(person, deps.now)
	else if (!mayResetPassword(person, deps.now)) {
		if (input.currentPassword === undefined) throw new AppError('validation', 'currentPassword: is missing')
		if (!(await deps.passwords.verify(input.currentPassword, user.passwordHash)).ok)
			throw wrongPasswordError()
	}
	const changed = await credentialStore(deps.db).changePassword(
		deps.work,
		user,
		await hashNewPassword(deps, { field: 'newPassword', password: input.newPassword, owner: user }),
		person.sessionId,
	)
	if (!changed) throw wrongPasswordError()
	deps.defer(counter.forgive([mine]))
	deps.defer(deps.contributions.communities.closeStreams(deps, user.id))
	const tokenVersion = user.tokenVersion + 1
	await rememberDevice(deps, { ...user, tokenVersion }, origin)
	return issueToken(
		deps,
		{ ...toPerson(user), tokenVersion, hasPassword: true },
		viewCurrentSession(person),
		person.role ? person.org : null,
	)
}
