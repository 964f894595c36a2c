import type { CommunityRole } from '#schema/contract/community/fields.ts'
import type { OrgRole } from '#schema/contract/roles.ts'
import { oneLine } from '../platform/mail-message.ts'
import { type Letter, layOutHtml, layOutText } from './layout.ts'

export type MailContent = { subject: string; text: string; html: string }

export const writeMail = (subject: string, letter: Letter): MailContent => ({
	subject,
	text: layOutText(letter),
	html: layOutHtml(letter),
})

const NAME_LENGTH = 80

/** Mail programs make links of what looks like an address; with a space behind its dots, colons and at-signs nothing does. */
const withoutLinks = (text: string): string =>
	text.replace(/([.\u2024\u3002\uff0e\uff61:\uff1a@\uff20])(?=\S)/gu, '$1 ')

/**
 * The one way for words of strangers into a mail: between quotes, on one line, cut and without links, so that they
 * pass neither for words of ours nor for something to click.
 */
export function quoteName(name: string): string {
	const letters = [...withoutLinks(oneLine(name)).replace(/["“”]/g, "'")]
	return `“${letters.length > NAME_LENGTH ? `${letters.slice(0, NAME_LENGTH).join('')}…` : letters.join('')}”`
}

const count = (n: number, unit: string) => (n === 1 ? `1 ${unit}` : `${n} ${unit}s`)

/** The code is not in the subject: mail servers log subjects, and phones show them while locked. */
export function codeMail({
	code,
	minutes,
	purpose = 'sign-in',
}: {
	code: string
	minutes: number
	purpose?: 'sign-in' | 'sign-up'
}): MailContent {
	const signsUp = purpose === 'sign-up'
	return writeMail(signsUp ? 'Your code to sign up to Playhouse' : 'Your code to sign in to Playhouse', {
		heading: signsUp ? 'Welcome to Playhouse' : 'Your sign-in code',
		paragraphs: [
			`Enter this code to ${signsUp ? 'create your account' : 'sign in'}. It works once, for ${count(minutes, 'minute')}.`,
		],
		action: { code },
		footnote: `Somebody asked for this code with your address. If that was not you, do nothing: without the code nobody ${signsUp ? 'can sign up with your address' : 'gets in'}. Never pass it on; we will not ask you for it.`,
	})
}

/** Goes to an address that anybody may have typed in, so it holds no name that somebody chose. */
export function verifyAddressMail({ code, minutes }: { code: string; minutes: number }): MailContent {
	return writeMail('Your code to verify your address on Playhouse', {
		heading: 'Verify your address',
		paragraphs: [
			`Enter this code where you signed up to Playhouse, to show that this address is yours. It works once, for ${count(minutes, 'minute')}.`,
		],
		action: { code },
		footnote:
			'If you did not sign up, do nothing and never pass the code on. Should you want an account later, sign in with a code: whatever password was set with your address stops working then.',
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
	/** Goes to the new address; otherwise to the present one. */
	isNew: boolean
}): MailContent {
	return writeMail('Your code to change your address on Playhouse', {
		heading: isNew ? 'Verify your new address' : 'Change your address',
		paragraphs: [
			isNew
				? `Enter this code to make this the address of a Playhouse account. It works once, for ${count(minutes, 'minute')}.`
				: `Enter this code to change the address of your account to ${newEmail}. It works once, for ${count(minutes, 'minute')}.`,
		],
		action: { code },
		footnote: isNew
			? 'If you did not ask for this, do nothing and never pass the code on.'
			: 'If you did not ask for this, somebody knows how to sign in to your account: sign in with a code and set a new password. Without this code your address stays as it is.',
	})
}

/** In place of a code, so that the request cannot be used to look for accounts. */
export function addressTakenMail(): MailContent {
	return writeMail('This address has a Playhouse account already', {
		heading: 'This address is taken',
		paragraphs: [
			'Somebody asked to move a Playhouse account to this address. It belongs to another account already, so nothing was changed.',
			'If that was you, sign in with this address, or delete that account first.',
		],
		action: null,
		footnote: 'If that was not you, there is nothing you need to do.',
	})
}

export const roles: Record<OrgRole | CommunityRole, string> = {
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
	/** An organization or a community. */
	groupName: string
	inviterName: string | null
	role: OrgRole | CommunityRole
	link: string
	days: number
	unsubscribeUrl: string
}): MailContent {
	const group = quoteName(groupName)
	const invites = inviterName === null ? 'You are invited' : `${quoteName(inviterName)} invites you`
	return writeMail(`Invitation to join ${group} on Playhouse`, {
		heading: `Join ${group}`,
		paragraphs: [
			`${invites} to join ${group} on Playhouse as ${roles[role]}.`,
			`The invitation is for this address only and is open for ${count(days, 'day')}.`,
		],
		action: { label: 'Accept the invitation', link },
		footnote: 'If you do not know who this is from, ignore this mail: nothing happens unless you accept.',
		links: [
			{ label: 'No more invitations to this address', link: unsubscribeUrl },
			{ label: 'This is not for me, or unwanted: report it', link: `${unsubscribeUrl}&report=1` },
		],
	})
}
