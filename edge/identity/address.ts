import type { SignedIn, User } from '#schema/contract/identity.ts'
import { closeStreamsOf } from '../community/notifications/streams-door.ts'
import type { Person } from '../http/caller.ts'
import { AppError } from '../http/errors.ts'
import { hasRecentProof } from '../http/recent-proof.ts'
import type { Deps } from '../platform/deps.ts'
import { networkOf } from '../platform/network.ts'
import { relayEvents } from '../platform/outbox.ts'
import { isUniqueViolation } from '../platform/unique-violation.ts'
import { type AddressProof, consumeAddressCodes, sendAddressCode, sendVerification } from './address-codes.ts'
import { addressCodeByUser, attemptCounter, codeByIp, passwordByUser } from './attempts.ts'
import { sessionOf } from './identity.ts'
import { isAllowedDomain } from './registration.ts'
import { issueToken } from './sign-in.ts'
import { signingOf } from './signing.ts'
import { identityStore, type UserRow } from './store.ts'
import { personOf, viewUser } from './view.ts'

const counterOf = (deps: Deps) => attemptCounter(deps.db, signingOf(deps).secrets, deps.now)
const isVerifiedError = () => new AppError('conflict', 'this e-mail address is verified already')
const changedMeanwhileError = () =>
	new AppError('conflict', 'the account was changed in the meantime; start again')

async function findAccount(deps: Deps, person: Person): Promise<UserRow> {
	const user = await identityStore(deps.db).findUser(person.userId)
	if (!user) throw new AppError('unauthorized', 'the session has ended; sign in again')
	return user
}

export async function resendVerification(deps: Deps, person: Person, ip: string): Promise<void> {
	if (person.emailVerified) throw isVerifiedError()
	await counterOf(deps).count([{ rule: codeByIp, subject: networkOf(ip) }])
	await sendVerification(deps, { id: person.userId, email: person.email })
}

export async function verifyEmail(deps: Deps, person: Person, code: string): Promise<User> {
	if (person.emailVerified) throw isVerifiedError()
	const { userId, email } = person
	await counterOf(deps).count([{ rule: addressCodeByUser, subject: String(userId) }])
	await consumeAddressCodes(deps, [{ proof: { purpose: 'verify', userId, email }, code }])
	if (!(await identityStore(deps.db).verifyEmail(userId, email, deps.now))) throw changedMeanwhileError()
	return viewUser({ ...person, id: userId, emailVerified: true })
}

/** A session alone may be a stolen one. */
async function requireFreshProof(
	deps: Deps,
	person: Person,
	user: UserRow,
	currentPassword: string | undefined,
): Promise<void> {
	if (person.provedByCode && hasRecentProof(person, deps.now)) return
	if (user.passwordHash === null)
		throw new AppError('forbidden', 'sign in with a code, then ask again within 10 minutes')
	if (currentPassword === undefined) throw new AppError('validation', 'currentPassword: is missing')
	const counter = counterOf(deps)
	const mine = { rule: passwordByUser, subject: String(user.id) }
	await counter.count([mine])
	if (!(await deps.passwords.verify(currentPassword, user.passwordHash)).ok)
		throw new AppError('forbidden', 'the current password is wrong')
	deps.defer(counter.forgive([mine]))
}

/** The present address has to agree only if it was ever shown to be the person's. */
const proofsOf = (user: UserRow, newEmail: string): { to: AddressProof; from: AddressProof | null } => {
	const change = { userId: user.id, newEmail }
	return {
		to: { ...change, purpose: 'change-to', email: newEmail },
		from: user.emailVerifiedAt === null ? null : { ...change, purpose: 'change-from', email: user.email },
	}
}

/** Whether the new address is taken is not told here: its owner is told by mail instead of being sent a code. */
export async function requestEmailChange(
	deps: Deps,
	person: Person,
	input: { newEmail: string; currentPassword?: string | undefined },
	ip: string,
): Promise<void> {
	const { newEmail } = input
	const user = await findAccount(deps, person)
	if (newEmail === user.email) throw new AppError('validation', 'newEmail: is the address of this account')
	if (!isAllowedDomain(deps.env.vars, newEmail))
		throw new AppError('registration_closed', 'this installation does not take addresses of that mail domain')
	await requireFreshProof(deps, person, user, input.currentPassword)
	await counterOf(deps).count([{ rule: codeByIp, subject: networkOf(ip) }])
	const { to, from } = proofsOf(user, newEmail)
	await sendAddressCode(deps, to)
	if (from) await sendAddressCode(deps, from)
}

export async function confirmEmailChange(
	deps: Deps,
	person: Person,
	input: { newEmail: string; newCode: string; currentCode?: string | undefined },
): Promise<SignedIn> {
	const { newEmail, newCode, currentCode } = input
	const user = await findAccount(deps, person)
	await counterOf(deps).count([{ rule: addressCodeByUser, subject: String(user.id) }])
	const { to, from } = proofsOf(user, newEmail)
	if (from && currentCode === undefined) throw new AppError('validation', 'currentCode: is missing')
	await consumeAddressCodes(deps, [
		...(from ? [{ proof: from, code: currentCode ?? '' }] : []),
		{ proof: to, code: newCode },
	])
	try {
		const moved = await identityStore(deps.db).changeEmail(user, newEmail, person.sessionId, deps.now)
		if (!moved) throw changedMeanwhileError()
	} catch (error) {
		if (isUniqueViolation(error))
			throw new AppError('conflict', 'an account with this e-mail address exists already')
		throw error
	}
	deps.defer(relayEvents(deps))
	deps.defer(closeStreamsOf(deps, user.id))
	return issueToken(
		deps,
		{ ...personOf(user), email: newEmail, emailVerified: true, tokenVersion: user.tokenVersion + 1 },
		sessionOf(person),
		person.role ? person.org : null,
	)
}
