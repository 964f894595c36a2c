import { AppError } from '../http/errors.ts'
import { foundOrg } from '../orgs/founding.ts'
import { slugFor } from '../orgs/slug.ts'
import type { Deps } from '../platform/deps.ts'
import { relayEvents } from '../platform/outbox.ts'
import { isUniqueViolation } from '../platform/unique-violation.ts'
import { sendVerification } from './address-codes.ts'
import { rememberDevice } from './devices.ts'
import { isInvited, joinInvited } from './invited.ts'
import type { Origin } from './origin.ts'
import { originHashes } from './origin-hashes.ts'
import { originStore } from './origin-store.ts'
import { registrationAllows } from './registration.ts'
import { issueToken, newSession } from './sign-in.ts'
import { identityStore } from './store.ts'
import { personOf } from './view.ts'

type Newcomer = {
	email: string
	name: string
	passwordHash: string | null
	invitationToken: string | undefined
}

/** 403 unless the address may sign up by the rules of this installation or holds an invitation. */
export async function refuseClosedRegistration(
	deps: Deps,
	email: string,
	invitationToken: string | undefined,
) {
	if (registrationAllows(deps.env.vars, email)) return
	if (invitationToken !== undefined && (await isInvited(deps, invitationToken, email))) return
	throw new AppError('registration_closed', 'registration is closed for this e-mail address')
}

/**
 * The person, their organization, their membership in it and their session, in one batch. Whoever signs up
 * while an installation has no superadmin becomes one; the insert itself looks.
 */
export async function createAccount(deps: Deps, newcomer: Newcomer, origin: Origin) {
	const { db, now } = deps
	const { email, name, passwordHash, invitationToken } = newcomer
	// A code, or the token that was mailed to this address and nowhere else, shows that the newcomer reads its mail.
	const isProved = passwordHash === null || invitationToken !== undefined
	const store = identityStore(db)
	const session = newSession(now, origin, passwordHash === null ? 'code' : 'password')
	const userId = store.idByEmail(email)
	const { org, statements } = foundOrg(
		deps,
		{ name: `${name}’s organization`.slice(0, 100), slug: slugFor(name) },
		userId,
	)
	const joining = invitationToken === undefined ? [] : await joinInvited(deps, invitationToken, email, userId)

	try {
		const [created] = await db.batch([
			store.insertUser({ email, name, passwordHash, emailVerifiedAt: isProved ? now : null }, now),
			...statements,
			store.insertSession(session, userId),
			originStore(db).remember(session, await originHashes(deps, origin)),
			...joining,
		])
		const [user] = created
		if (!user) throw new Error('an insert returned no row')
		deps.defer(relayEvents(deps))
		if (!isProved) deps.defer(sendVerification(deps, user))
		await rememberDevice(deps, user, origin)
		return await issueToken(deps, personOf(user), session, org)
	} catch (error) {
		if (isUniqueViolation(error))
			throw new AppError('conflict', 'an account with this e-mail address exists already')
		throw error
	}
}
