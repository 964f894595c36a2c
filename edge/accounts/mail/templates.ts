import type { OrgRole } from '#schema/contract/accounts/roles.ts'
import type { CommunityRole } from '#schema/contract/community/fields.ts'
import { toOneLine } from '../../platform/mail/message.ts'
import { type Letter, renderHtml, renderText } from './layout.ts'

export type MailContent = { subject: string; text: string; html: string }

export const writeMail = (subject: string, letter: Letter): MailContent => ({
	subject,
	text: renderText(letter),
	html: renderHtml(letter),
})

const NAME_LENGTH = 80

/** Adds a space after dots, colons and at-signs, since mail clients turn anything that looks like an address into a link. */
const withoutLinks = (text: string): string =>
	text.replace(/([.\u2024\u3002\uff0e\uff61:\uff1a@\uff20])(?=\S)/gu, '$1 ')

/**
 * Makes user-supplied text safe for a mail: quoted, on one line, truncated and without links. All user-supplied text
 * must pass through here, so that it can't pose as our own words or as a link.
 */
export function quoteName(name: string): string {
	const characters = [...withoutLinks(toOneLine(name)).replace(/["“”]/g, "'")]
	return `“${characters.length > NAME_LENGTH ? `${characters.slice(0, NAME_LENGTH).join('')}…` : characters.join('')}”`
}

const count = (n: number, unit: string) => (n === 1 ? `1 ${unit}` : `${n} ${unit}s`)

/** Keeps the code out of the subject: mail servers log subjects, and locked phones show them. */
export function codeMail({
	code,
	minutes,
	purpose = 'sign-in',
}: {
	code: string
	minutes: number
	purpose?: 'sign-in' | 'sign-up'
}): MailContent {
	const isSignUp = purpose === 'sign-up'
	return writeMail(isSignUp ? 'Your code to sign up for Playhouse' : 'Your code to sign in to Playhouse', {
		heading: isSignUp ? 'Welcome to Playhouse' : 'Your sign-in code',
		paragraphs: [
			`Enter this code to ${isSignUp ? 'create your account' : 'sign in'}. It works once and expires in ${count(minutes, 'minute')}.`,
		],
		action: { code },
		footnote: `Someone requested this code for your email address. If this was not you, ignore this email: without the code, nobody can ${isSignUp ? 'sign up with your address' : 'sign in'}. Never share the code; we will not ask you for it.`,
	})
}

/** Contains no names, because anybody may have entered the address. */
export function verifyAddressMail({ code, minutes }: { code: string; minutes: number }): MailContent {
	return writeMail('Your code to verify your email address on Playhouse', {
		heading: 'Verify your email address',
		paragraphs: [
			`Enter this code where you signed up for Playhouse to confirm that this address is yours. It works once and expires in ${count(minutes, 'minute')}.`,
		],
		action: { code },
		footnote:
			'If you did not sign up, ignore this email and never share the code. If you want an account later, sign in with a code: any password set for your address then stops working.',
	})
}

export function changeAddressMail({
	code,
	minutes,
	newEmail,
	isNew,
}: {
	code: string
	minutes: number
	newEmail: string
	/** Whether the mail goes to the new address or to the current one. */
	isNew: boolean
}): MailContent {
	return writeMail('Your code to change your email address on Playhouse', {
		heading: isNew ? 'Verify your new email address' : 'Change your email address',
		paragraphs: [
			isNew
				? `Enter this code to use this address for a Playhouse account. It works once and expires in ${count(minutes, 'minute')}.`
				: `Enter this code to change the email address of your account to ${newEmail}. It works once and expires in ${count(minutes, 'minute')}.`,
		],
		action: { code },
		footnote: isNew
			? 'If you did not request this, ignore this email and never share the code.'
			: 'If you did not request this, someone else can sign in to your account. Sign in with a code and set a new password. Without this code, your address stays the same.',
	})
}

/** Goes out instead of a code, so that the request reveals no accounts. */
export function addressTakenMail(): MailContent {
	return writeMail('This address already has a Playhouse account', {
		heading: 'This address is already in use',
		paragraphs: [
			'Someone asked to change the address of a Playhouse account to this one. It already belongs to another account, so nothing was changed.',
			'If this was you, sign in with this address, or delete that account first.',
		],
		action: null,
		footnote: 'If this was not you, there is nothing you need to do.',
	})
}

export const roleNames: Record<OrgRole | CommunityRole, string> = {
	owner: 'an owner',
	admin: 'an administrator',
	moderator: 'a moderator',
	member: 'a member',
}

export function invitationMail({
	groupName,
	inviterName,
	role,
	link,
	days,
	unsubscribeUrl,
}: {
	/** The name of the organization or community. */
	groupName: string
	inviterName: string | null
	role: OrgRole | CommunityRole
	link: string
	days: number
	unsubscribeUrl: string
}): MailContent {
	const group = quoteName(groupName)
	const invites = inviterName === null ? 'You have been invited' : `${quoteName(inviterName)} invites you`
	return writeMail(`Invitation to join ${group} on Playhouse`, {
		heading: `Join ${group}`,
		paragraphs: [
			`${invites} to join ${group} on Playhouse as ${roleNames[role]}.`,
			`The invitation is for this address only and expires in ${count(days, 'day')}.`,
		],
		action: { label: 'Accept the invitation', link },
		footnote: 'If you do not know the sender, ignore this email: nothing happens unless you accept.',
		links: [
			{ label: 'Get no more invitations at this address', link: unsubscribeUrl },
			{ label: 'Report this invitation', link: `${unsubscribeUrl}&report=1` },
		],
	})
}
