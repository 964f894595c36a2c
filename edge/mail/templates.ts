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
function quoteName(name: string): string {
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

const roles: Record<OrgRole | CommunityRole, string> = {
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
