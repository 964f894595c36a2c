import type { EventByType, Recorded } from '#schema/contract/events.ts'
import type { Deps } from '../../platform/deps.ts'
import {
	changedAddressNotice,
	newSignInNotice,
	passwordNotice,
	secondFactorNotice,
} from '../mail/notice-templates.ts'
import type { MailContent } from '../mail/templates.ts'
import { secondFactorStore } from './second-factor/store.ts'
import { identityStore } from './store.ts'

/** Derives the id from the event, so that repeated deliveries of the event send one mail. */
const mailOf = (event: Recorded, to: string, mail: MailContent) =>
	({ type: 'mail.send', id: `notice.${event.id}`, to, ...mail }) as const

/** Skips unverified addresses, which may belong to somebody else. */
async function notifyPerson(deps: Deps, event: Recorded, userId: number, mail: MailContent): Promise<void> {
	const user = await identityStore(deps.db).findUser(userId)
	if (user && user.emailVerifiedAt !== null) await deps.send(mailOf(event, user.email, mail))
}

export const notifyOfSignIn = (deps: Deps, event: EventByType<'account.signed_in_anew'> & Recorded) =>
	notifyPerson(deps, event, event.payload.userId, newSignInNotice({ ...event.payload, at: event.createdAt }))

export const notifyOfPassword = (deps: Deps, event: EventByType<'account.password_changed'> & Recorded) =>
	notifyPerson(deps, event, event.payload.userId, passwordNotice({ ...event.payload, at: event.createdAt }))

export async function notifyOfSecondFactor(
	deps: Deps,
	event: EventByType<'account.second_factor_changed'> & Recorded,
): Promise<void> {
	const { userId, change } = event.payload
	const codesLeft = change === 'recovery_code_used' ? await countCodes(deps, userId) : null
	await notifyPerson(deps, event, userId, secondFactorNotice({ at: event.createdAt, change, codesLeft }))
}

/** Returns how many recovery codes a person has, or null if they have no second factor any more. */
async function countCodes({ db }: Deps, userId: number): Promise<number | null> {
	const { since, recoveryCodesLeft } = await secondFactorStore(db).findState(userId)
	return since === null ? null : recoveryCodesLeft
}

export async function notifyFormerAddress(
	deps: Deps,
	event: EventByType<'account.email_changed'> & Recorded,
): Promise<void> {
	const { userId, formerEmail } = event.payload
	const user = await identityStore(deps.db).findUser(userId)
	if (!user) return
	const mail = changedAddressNotice({ at: event.createdAt, newEmail: user.email })
	await deps.send(mailOf(event, formerEmail, mail))
}
