import type { SignedIn } from '#schema/contract/identity.ts'
import { closeStreamsOf } from '../community/notifications/streams-door.ts'
import { credentialOf } from '../http/auth.ts'
import type { Person } from '../http/caller.ts'
import { AppError, tooManyRequests } from '../http/errors.ts'
import { hasRecentProof, PROOF_MS, requireRecentProof } from '../http/recent-proof.ts'
import type { Deps } from '../platform/deps.ts'
import { newId, randomCode } from '../platform/ids.ts'
import { networkOf, siteOf } from '../platform/network.ts'
import { relayEvents } from '../platform/outbox.ts'
import { sessionToken } from '../platform/tokens.ts'
import {
	attemptCounter,
	codeByAccountAndSite,
	codeByDevice,
	codeByIp,
	codeByKnownDevices,
	passwordByUser,
	signupByIp,
} from './attempts.ts'
import { type Asker, CODE_LIFE_MS, codeStore } from './codes.ts'
import { findKnownDevice, rememberDevice } from './devices.ts'
import { requireInvited } from './invited.ts'
import { admitLogin } from './login-tries.ts'
import { hashNewPassword } from './new-password.ts'
import type { Origin } from './origin.ts'
import { issueToken, newRenewalId, signIn, wrongCredentials } from './sign-in.ts'
import { signingOf } from './signing.ts'
import { createAccount, refuseClosedRegistration } from './signup.ts'
import { identityStore } from './store.ts'
import { personOf } from './view.ts'

const counterOf = (deps: Deps) => attemptCounter(deps.db, signingOf(deps).secrets, deps.now)
const sessionEnded = () => new AppError('unauthorized', 'the session has ended; sign in again')
const wrongCode = () =>
	new AppError('unauthorized', 'the code is wrong or no longer valid; ask for a new one')

type SignupInput = { email: string; password: string; name: string; invitationToken?: string | undefined }

export async function signUp(deps: Deps, input: SignupInput, origin: Origin) {
	await counterOf(deps).count([{ rule: signupByIp, subject: networkOf(origin.ip) }])
	await refuseClosedRegistration(deps, input.email, input.invitationToken)
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
	if (!user || !ok) throw wrongCredentials()
	deps.defer(forgive())
	if (outdated)
		deps.defer(deps.passwords.hash(password).then((hash) => store.replacePasswordHash(user, hash)))
	return signIn(deps, user, origin, 'password')
}

/** A session that is open already is as good as a device that is known. */
async function findAsker(deps: Deps, email: string, origin: Origin, sessionId?: string): Promise<Asker> {
	const device = sessionId === undefined ? await findKnownDevice(deps, email, origin) : null
	// Whoever made an account with a foreign address has signed in from somewhere too.
	const deviceId = sessionId ?? (device?.user.emailVerifiedAt ? device.id : undefined)
	const isKnown = deviceId !== undefined
	const subject = `code asker ${isKnown ? `device ${deviceId}` : `site ${siteOf(origin.ip)}`}`
	return { id: await signingOf(deps).secrets.hmac('attempt-subject', subject), isKnown }
}

/** The same work for every address; who is sent a mail, and which one, is decided where mails are made. */
export async function sendCode(deps: Deps, email: string, origin: Origin): Promise<void> {
	const { secrets } = signingOf(deps)
	const asker = await findAsker(deps, email, origin)
	if (!asker.isKnown) await counterOf(deps).count([{ rule: codeByIp, subject: networkOf(origin.ip) }])
	const id = newId('otp', deps.now)
	const code = randomCode()
	const codes = codeStore(deps.db)
	const hash = await secrets.hmac('one-time-code', `${id} ${code}`)
	if (!(await codes.issue(id, email, hash, asker, deps.now)))
		throw tooManyRequests(
			((await codes.nextSendAt(email, asker, deps.now)) - deps.now) / 1000,
			'a code was sent to this address already; look for it, or try again later',
		)
	await deps.send({ type: 'code.send', id, email, code, expiresAt: deps.now + CODE_LIFE_MS })
}

/** Spends a try and says which code it was; 401 for a wrong one. The code still has to be consumed. */
async function checkCode(deps: Deps, email: string, code: string, origin: Origin, sessionId?: string) {
	const { secrets } = signingOf(deps)
	const counter = counterOf(deps)
	const asker = await findAsker(deps, email, origin, sessionId)
	const own = {
		rule: asker.isKnown ? codeByDevice : codeByAccountAndSite,
		subject: `${email} ${asker.id}`,
	}
	const all = asker.isKnown
		? { rule: codeByKnownDevices, subject: email }
		: { rule: codeByIp, subject: networkOf(origin.ip) }
	await counter.count([own, all])
	const codes = codeStore(deps.db)
	const row = await codes.spendTry(email, asker, deps.now)
	const isRight = await secrets.matches('one-time-code', `${row?.id ?? ''} ${code}`, row?.codeHash ?? '')
	if (!row || !isRight) throw wrongCode()
	deps.defer(counter.forgive(asker.isKnown ? [own, all] : [own]))
	return {
		async consume() {
			if (!(await codes.consume(row.id, deps.now))) throw wrongCode()
		},
	}
}

export async function verifyCode(deps: Deps, email: string, code: string, origin: Origin): Promise<SignedIn> {
	const checked = await checkCode(deps, email, code, origin)
	const user = await identityStore(deps.db).findUserByEmail(email)
	// Only someone who reads the address's mail gets to see this, so it tells nobody else.
	if (!user)
		throw new AppError(
			'no_account',
			'there is no account yet; send the code to /v1/auth/otp/verify-signup with a name',
		)
	await checked.consume()
	return signIn(deps, user, origin, 'code')
}

type CodeSignupInput = { email: string; code: string; name: string; invitationToken?: string | undefined }

export async function verifySignupCode(deps: Deps, input: CodeSignupInput, origin: Origin) {
	await refuseClosedRegistration(deps, input.email, input.invitationToken)
	const checked = await checkCode(deps, input.email, input.code, origin)
	// An invitation that is no good any more must not cost the code.
	if (input.invitationToken !== undefined) await requireInvited(deps, input.invitationToken, input.email)
	await checked.consume()
	return createAccount(
		deps,
		{ email: input.email, name: input.name, passwordHash: null, invitationToken: input.invitationToken },
		origin,
	)
}

/** A token made from another one renews the session with what that one may: a stolen one gets no newer right. */
export const sessionOf = (person: Person) => ({
	id: person.sessionId,
	renewalId: person.renewalId,
	expiresAt: person.sessionExpiresAt,
})

/** `person.org` is the organization asked for, as far as the person is a member of it. */
export async function switchOrg(deps: Deps, person: Person, orgId: string) {
	const row = await identityStore(deps.db).findPerson(person.sessionId, person.userId, orgId)
	if (!row) throw sessionEnded()
	if (!row.role || !row.orgId || !row.slug) throw new AppError('not_found', 'no such organization')
	if (row.suspendedAt !== null) throw new AppError('org_suspended', 'this organization is suspended')
	const org = { id: row.orgId, slug: row.slug }
	return issueToken(deps, { ...row, id: row.userId }, sessionOf(person), org)
}

/** Who has just read a code from their mail may set a new password without the old one: so one is recovered. */
const mayResetPassword = (person: Person, now: number) => person.provedByCode && hasRecentProof(person, now)

/** Opens for a while, in a session that is open already, what asks for a recent proof. Says until when. */
export async function reauthenticate(
	deps: Deps,
	person: Person,
	proof: { password: string } | { code: string },
	origin: Origin,
): Promise<number> {
	const byCode = 'code' in proof
	if (byCode) {
		await consumeOwnCode(deps, person, proof.code, origin)
		await identityStore(deps.db).verifyEmail(person.userId, person.email, deps.now)
	} else await checkPassword(deps, person, proof.password)
	if (!(await identityStore(deps.db).proveSession(person.sessionId, byCode, deps.now))) throw sessionEnded()
	return deps.now + PROOF_MS
}

/** 403 for a wrong one: a 401 would read as the end of the session. */
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
	const counter = counterOf(deps)
	const mine = { rule: passwordByUser, subject: String(person.userId) }
	await counter.count([mine])
	const store = identityStore(deps.db)
	const user = await store.findUser(person.userId)
	if (!user) throw sessionEnded()
	const wrong = () => new AppError('forbidden', 'the current password is wrong')
	if (user.passwordHash === null) requireRecentProof(person, deps.now)
	else if (!mayResetPassword(person, deps.now)) {
		if (input.currentPassword === undefined) throw new AppError('validation', 'currentPassword: is missing')
		if (!(await deps.passwords.verify(input.currentPassword, user.passwordHash)).ok) throw wrong()
	}
	const changed = await store.changePassword(
		user,
		await hashNewPassword(deps, { field: 'newPassword', password: input.newPassword, owner: user }),
		person.sessionId,
		deps.now,
	)
	if (!changed) throw wrong()
	deps.defer(counter.forgive([mine]))
	deps.defer(closeStreamsOf(deps, user.id))
	deps.defer(relayEvents(deps))
	const tokenVersion = user.tokenVersion + 1
	await rememberDevice(deps, { ...user, tokenVersion }, origin)
	return issueToken(
		deps,
		{ ...personOf(user), tokenVersion, hasPassword: true },
		sessionOf(person),
		person.role ? person.org : null,
	)
}

/**
 * Renews a token, also one whose day is over, as long as its session lives. A token renews once. An older one is in two
 * hands, and ends the session, unless it is the last one and was renewed just now: that is a client whose answer was lost.
 */
export async function refreshToken(deps: Deps, headers: Headers): Promise<SignedIn> {
	const { tokens } = signingOf(deps)
	const credential = credentialOf(headers)
	const claims =
		credential?.kind === 'bearer' ? await tokens.readExpired(sessionToken, credential.value, deps.now) : null
	if (!claims) throw sessionEnded()
	const store = identityStore(deps.db)
	const row = await store.findPerson(claims.sid, claims.sub, claims.org)
	if (!row || row.tokenVersion !== claims.tv) throw sessionEnded()
	const session = await renewSession(deps, claims.sid, claims.rid)
	if (!session) {
		deps.defer(closeStreamsOf(deps, claims.sub, claims.sid))
		throw sessionEnded()
	}
	const stillThere = row.role !== null && row.suspendedAt === null && row.orgId !== null && row.slug !== null
	const org = stillThere
		? { id: row.orgId as string, slug: row.slug as string }
		: await store.findOpenOrg(row.userId)
	return issueToken(deps, { ...row, id: row.userId }, session, org ?? null)
}

async function renewSession({ db, now }: Deps, id: string, shown: string) {
	const store = identityStore(db)
	const renewalId = newRenewalId()
	const expiresAt = await store.renewSession(id, shown, renewalId, now)
	if (expiresAt !== undefined) return { id, renewalId, expiresAt }
	const retried = await store.findRenewalAfter(id, shown, now)
	if (retried) return { id, ...retried }
	await store.endReusedSession(id, shown, now)
	return undefined
}
