import type { SecondFactorChange } from '#schema/contract/accounts/events.ts'
import type { OrgRole } from '#schema/contract/accounts/roles.ts'
import { type MailContent, quoteName, roleNames, writeMail } from './templates.ts'

/** Notices about changes to an account or an organization. They contain no credentials. */

const time = (instant: number): string =>
	`${new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' }).format(instant)} UTC`

const howToReact =
	'If this was not you, sign in with an emailed code and set a new password. That ends all other sessions. Then delete any API keys you do not recognize.'

type SignIn = { at: number; ip: string; userAgent: string }

export const newSignInNotice = ({ at, ip, userAgent }: SignIn): MailContent =>
	writeMail('New sign-in to your Playhouse account', {
		heading: 'New sign-in to your account',
		paragraphs: [
			`On ${time(at)}, someone signed in to your account from a new network or browser.`,
			`IP address: ${ip}. Browser: ${quoteName(userAgent || 'unknown')}.`,
			'If this was you, there is nothing you need to do.',
			howToReact,
		],
		action: null,
		footnote: 'You get this email once for each new network or browser.',
	})

const passwordTexts = {
	set: ['Your Playhouse account now has a password', 'a password was set for your account'],
	replaced: ['Your Playhouse password was changed', 'the password of your account was changed'],
	removed: [
		'Your Playhouse password was removed',
		'your email address was verified by signing in with an emailed code',
	],
} as const

export function passwordNotice({
	at,
	change,
}: {
	at: number
	change: keyof typeof passwordTexts
}): MailContent {
	const [subject, whatHappened] = passwordTexts[change]
	return writeMail(subject, {
		heading: subject,
		paragraphs: [
			`On ${time(at)}, ${whatHappened}.`,
			change === 'removed'
				? 'Until then, anyone could have signed up with your address. So everything set up before was revoked: the password, other sessions, API keys and pending invitations. In organizations created by this account, everyone else is now a regular member; please review them. Set a new password if you want one, and create new API keys where you need them.'
				: 'All other sessions were signed out. If this was you, there is nothing you need to do.',
			howToReact,
		],
		action: null,
		footnote: 'You get this email whenever the password of your account changes.',
	})
}

const secondFactorTexts: Record<SecondFactorChange, readonly [subject: string, whatHappened: string]> = {
	totp_added: ['An authenticator app was set up', 'an authenticator app was set up for your account'],
	totp_removed: ['An authenticator app was removed', 'the authenticator app of your account was removed'],
	passkey_added: ['A passkey was added', 'a passkey was added to your account'],
	passkey_removed: ['A passkey was removed', 'a passkey of your account was removed'],
	recovery_codes_replaced: [
		'New recovery codes were created',
		'new recovery codes were created for your account; the earlier ones no longer work',
	],
	recovery_code_used: [
		'A recovery code was used',
		'someone signed in to your account with your password or an emailed code, and one of your recovery codes',
	],
	reset: [
		'Your second factor was removed',
		'an operator removed the authenticator app, passkeys and recovery codes of your account and ended all sessions',
	],
}

const lastCodeTexts = [
	'Your last recovery code was used',
	'someone signed in to your account with your password or an emailed code, and the last of your recovery codes',
] as const

/** At this number, the notice recommends new codes. */
const FEW_CODES = 3

type ChangedFactor = {
	at: number
	change: SecondFactorChange
	/** How many recovery codes are left, if one was used. */
	codesLeft: number | null
}

export function secondFactorNotice({ at, change, codesLeft }: ChangedFactor): MailContent {
	const [subject, whatHappened] = codesLeft === 0 ? lastCodeTexts : secondFactorTexts[change]
	return writeMail(`${subject} (Playhouse)`, {
		heading: subject,
		paragraphs: [
			`On ${time(at)}, ${whatHappened}.`,
			codesLeft === null
				? 'If this was you, there is nothing you need to do.'
				: `If this was you: ${adviceOnCodes(codesLeft)}`,
			howToReact,
			'Then review the authenticator app and the passkeys of your account, and create new recovery codes. If you can no longer sign in, ask the operators of this installation.',
		],
		action: null,
		footnote: 'You get this email whenever the second factors of your account change.',
	})
}

function adviceOnCodes(left: number): string {
	if (left === 0)
		return 'create new recovery codes now. Without them, you can’t sign in if you lose your authenticator app and your passkeys.'
	return left <= FEW_CODES
		? `only ${left === 1 ? 'one recovery code is' : `${left} recovery codes are`} left. Create new ones before they are used up.`
		: `${left} recovery codes are left.`
}

/** Goes to the previous address. */
export const changedAddressNotice = ({ at, newEmail }: { at: number; newEmail: string }): MailContent =>
	writeMail('The email address of your Playhouse account was changed', {
		heading: 'Your email address was changed',
		paragraphs: [
			`On ${time(at)}, the email address of your account was changed to ${newEmail}, confirmed with codes sent to both addresses. You can no longer sign in with this address.`,
			'If this was not you, someone else can read your email. Change the password of your mailbox and contact the operator of this installation.',
		],
		action: null,
		footnote: 'This is the last email about this account to this address.',
	})

type NewKey = {
	at: number
	orgName: string
	keyName: string
	prefix: string
	creatorName: string | null
	scopes: readonly string[]
}

export const newKeyNotice = ({ at, orgName, keyName, prefix, creatorName, scopes }: NewKey): MailContent =>
	writeMail(`New API key for ${quoteName(orgName)} on Playhouse`, {
		heading: `New API key for ${quoteName(orgName)}`,
		paragraphs: [
			`On ${time(at)}, ${creatorName === null ? 'someone' : quoteName(creatorName)} created the API key ${quoteName(keyName)} for ${quoteName(orgName)}. It starts with ${prefix} and has these scopes: ${scopes.join(', ')}.`,
			'If nobody you know created this key, delete it in the settings of the organization and review its members.',
		],
		action: null,
		footnote: 'You get this email because you own the organization or created the key.',
	})

type NewMember = { at: number; orgName: string; memberName: string; memberEmail: string; role: OrgRole }

export const newMemberNotice = ({ at, orgName, memberName, memberEmail, role }: NewMember): MailContent =>
	writeMail(`New member of ${quoteName(orgName)} on Playhouse`, {
		heading: `New member of ${quoteName(orgName)}`,
		paragraphs: [
			`On ${time(at)}, ${quoteName(memberName)} (${memberEmail}) joined ${quoteName(orgName)} as ${roleNames[role]}.`,
			'If you do not know this person, remove them in the settings of the organization and ask who sent the invitation.',
		],
		action: null,
		footnote: 'You get this email because you own the organization.',
	})

type FailingWebhook = { orgName: string; url: string; failingSince: number; isLast: boolean }

export const failingWebhookNotice = ({ orgName, url, failingSince, isLast }: FailingWebhook): MailContent =>
	writeMail(`A webhook endpoint of ${quoteName(orgName)} is failing`, {
		heading: isLast ? 'A webhook endpoint will be switched off in a day' : 'A webhook endpoint is failing',
		paragraphs: [
			`Since ${time(failingSince)}, no event could be delivered to this endpoint: ${quoteName(new URL(url).host)}.`,
			isLast
				? 'If no delivery succeeds until then, it is switched off, and its events are no longer delivered.'
				: 'Deliveries are attempted again, with growing waits. After five days without a success, the endpoint is switched off.',
			'The delivery log of the organization shows what the receiver responded. Events are kept for 30 days, and can be delivered again.',
		],
		action: null,
		footnote:
			'You get this email as an owner of the organization, when an endpoint begins to fail and a day before it is switched off.',
	})

type DisabledWebhook = { at: number; orgName: string; url: string; reason: string }

export const disabledWebhookNotice = ({ at, orgName, url, reason }: DisabledWebhook): MailContent =>
	writeMail(`A webhook endpoint of ${quoteName(orgName)} was switched off`, {
		heading: 'A webhook endpoint was switched off',
		paragraphs: [
			`On ${time(at)}, deliveries to this endpoint were switched off: ${quoteName(new URL(url).host)}.`,
			`Reason: ${reason}.`,
			'Enable the endpoint once the receiver works. Then recover the missed events, which are kept for 30 days.',
		],
		action: null,
		footnote: 'You get this email as an owner of the organization.',
	})
