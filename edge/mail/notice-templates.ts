import type { OrgRole } from '#schema/contract/roles.ts'
import { type MailContent, quoteName, roles, writeMail } from './templates.ts'

/** Mails that something happened to an account or an organization. They hold nothing that lets anybody in. */

const time = (instant: number): string =>
	`${new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' }).format(instant)} UTC`

const howToReact =
	'If it was not you: sign in with a code, which is mailed to you, and set a new password. That ends all other sessions. Then delete API keys that you do not know.'

type SignIn = { at: number; ip: string; userAgent: string }

export const newSignInNotice = ({ at, ip, userAgent }: SignIn): MailContent =>
	writeMail('New sign-in to your Playhouse account', {
		heading: 'New sign-in to your account',
		paragraphs: [
			`On ${time(at)} somebody signed in to your account from a network or with a browser that was not seen there before.`,
			`Address: ${ip}. Browser: ${quoteName(userAgent || 'unknown')}.`,
			'If it was you, there is nothing you need to do.',
			howToReact,
		],
		action: null,
		footnote: 'You get this mail once for each new network or browser.',
	})

const passwordWords = {
	set: ['Your Playhouse account has a password now', 'a password was set for your account'],
	replaced: ['Your Playhouse password was changed', 'the password of your account was changed'],
	removed: [
		'Your Playhouse password was removed',
		'your address was verified, by signing in with a code that was mailed to it',
	],
} as const

export function passwordNotice({
	at,
	change,
}: {
	at: number
	change: keyof typeof passwordWords
}): MailContent {
	const [subject, what] = passwordWords[change]
	return writeMail(subject, {
		heading: subject,
		paragraphs: [
			`On ${time(at)} ${what}.`,
			change === 'removed'
				? 'Until then anybody could have signed up with your address, so everything that was set up before stopped working: the password, other sessions, API keys and open invitations. In organizations that the account made, everybody else is a plain member now; look through them. Set a new password if you want one, and make new API keys where you need them.'
				: 'All other sessions were ended. If it was you, there is nothing you need to do.',
			howToReact,
		],
		action: null,
		footnote: 'You get this mail whenever the password of your account changes.',
	})
}

/** To the former address. */
export const changedAddressNotice = ({ at, newEmail }: { at: number; newEmail: string }): MailContent =>
	writeMail('The address of your Playhouse account was changed', {
		heading: 'Your address was changed',
		paragraphs: [
			`On ${time(at)} the address of your account was changed to ${newEmail}, with codes that were mailed to both addresses. This address does not open the account any more.`,
			'If it was not you, somebody reads your mail: change the password of your mailbox, and write to those who run this installation.',
		],
		action: null,
		footnote: 'This is the last mail about this account to this address.',
	})

type NewKey = {
	at: number
	orgName: string
	keyName: string
	prefix: string
	makerName: string | null
	scopes: readonly string[]
}

export const newKeyNotice = ({ at, orgName, keyName, prefix, makerName, scopes }: NewKey): MailContent =>
	writeMail(`New API key for ${quoteName(orgName)} on Playhouse`, {
		heading: `New API key for ${quoteName(orgName)}`,
		paragraphs: [
			`On ${time(at)} ${makerName === null ? 'somebody' : quoteName(makerName)} made the API key ${quoteName(keyName)} for ${quoteName(orgName)}. It begins with ${prefix} and has the scopes ${scopes.join(', ')}.`,
			'If nobody you know made it: delete the key in the settings of the organization, and look at who its members are.',
		],
		action: null,
		footnote: 'You get this mail because you own the organization or made the key.',
	})

type NewMember = { at: number; orgName: string; memberName: string; memberEmail: string; role: OrgRole }

export const newMemberNotice = ({ at, orgName, memberName, memberEmail, role }: NewMember): MailContent =>
	writeMail(`New member of ${quoteName(orgName)} on Playhouse`, {
		heading: `New member of ${quoteName(orgName)}`,
		paragraphs: [
			`On ${time(at)} ${quoteName(memberName)} (${memberEmail}) joined ${quoteName(orgName)} as ${roles[role]}.`,
			'If you do not know who this is: remove the member in the settings of the organization, and ask who sent the invitation.',
		],
		action: null,
		footnote: 'You get this mail because you own the organization.',
	})
