import { AppError } from '../../http/errors.ts'
import { auditIfStatement } from '../../platform/audit/audit.ts'
import { batch } from '../../platform/database/batch.ts'
import { isUniqueViolation } from '../../platform/database/unique-violation.ts'
import type { Deps } from '../../platform/deps.ts'
import { isRegistrationAllowed } from '../../platform/registration.ts'
import { createOrgStatements } from '../orgs/create-org.ts'
import { createSlug } from '../orgs/slug.ts'
import { sendVerification } from './addresses/address-codes.ts'
import { chooseInvitations } from './invitation-check.ts'
import { rememberDevice } from './origins/devices.ts'
import type { Origin } from './origins/origin.ts'
import { hashOrigin } from './origins/origin-hashes.ts'
import { originStore } from './origins/origin-store.ts'
import { sessionStore } from './session-store.ts'
import { issueToken, newSession } from './sign-in.ts'
import { identityStore } from './store.ts'
import { toPerson } from './view.ts'

type NewAccount = {
	email: string
	name: string
	passwordHash: string | null
	invitationToken: string | undefined
}

/** Throws 403 unless the installation allows the address to sign up or the address is invited. */
export async function requireOpenRegistration(
	deps: Deps,
	email: string,
	invitationToken: string | undefined,
) {
	if (isRegistrationAllowed(deps.env.vars, email)) return
	if (
		invitationToken !== undefined &&
		(await chooseInvitations(deps, invitationToken).findAddress(deps, invitationToken)) === email
	)
		return
	throw new AppError('registration_closed', 'registration is closed for this email address')
}

/** Creates a user, their organization, their membership in it and their session in one batch. */
export async function createAccount(deps: Deps, newAccount: NewAccount, origin: Origin) {
	const { db, work, now } = deps
	const { email, name, passwordHash, invitationToken } = newAccount
	// Codes and invitation tokens are sent only to this address, so either proves that the new user owns the mailbox.
	const isProved = passwordHash === null || invitationToken !== undefined
	const store = identityStore(db)
	const session = newSession(now, origin, passwordHash === null ? 'code' : 'password')
	const userId = store.idByEmail(email)
	const { org, statements } = createOrgStatements(
		deps,
		{ name: `${name}’s organization`.slice(0, 100), slug: createSlug(name) },
		userId,
	)
	const joinStatements =
		invitationToken === undefined
			? null
			: Object.values(
					await chooseInvitations(deps, invitationToken).joinStatements(deps, invitationToken, email, userId),
				)

	try {
		const {
			userCreated: [user],
		} = await batch(db, {
			userCreated: store.insertUserStatement(
				{ email, name, passwordHash, emailVerifiedAt: isProved ? now : null },
				now,
			),
			...statements,
			sessionOpened: sessionStore(db).insertSessionStatement(session, userId),
			originsStored: originStore(db).rememberStatement(session, await hashOrigin(deps, origin)),
			superadminGranted: auditIfStatement(
				work,
				{
					action: 'superadmin.granted',
					orgId: null,
					target: { kind: 'user', userId },
					actorUserId: userId,
				},
				store.isSuperadmin(email),
			),
			invitationAccepted: joinStatements,
		})
		if (!user) throw new Error('the insert returned no row')
		if (!isProved) deps.defer(sendVerification(deps, user))
		await rememberDevice(deps, user, origin)
		return await issueToken(deps, toPerson(user), session, org)
	} catch (error) {
		if (isUniqueViolation(error))
			throw new AppError('conflict', 'an account with this email address already exists')
		throw error
	}
}
