import { type MailContent, writeMail } from '../../../accounts/mail/templates.ts'

const formatTime = (instant: number): string =>
	new Intl.DateTimeFormat('en-GB', {
		dateStyle: 'long',
		timeStyle: 'short',
		timeZone: 'UTC',
	}).format(instant)

const countDays = (days: number) => (days === 1 ? '1 day' : `${days} days`)

const keepAction = (link: string) => ({ label: 'Keep my account', link })

const deletedData =
	'This deletes your account, memberships, sessions, notifications, preferences and points. Posts and comments stay without your name, unless you asked to delete them too. Backups keep a copy for a limited time; it is not used, and no deleted account is restored from it.'

const footnote =
	'You get this email because someone who was signed in to your account asked to delete it. If this was not you, keep the account and change your password.'

export function confirmationMail(input: { link: string; days: number; scheduledFor: number }): MailContent {
	return writeMail(`Your Playhouse account will be deleted in ${countDays(input.days)}`, {
		heading: `Your account will be deleted in ${countDays(input.days)}`,
		paragraphs: [
			`You asked to delete your account. It keeps working until ${formatTime(input.scheduledFor)} UTC and is then permanently deleted.`,
			deletedData,
			'Changed your mind? You can keep your account until then:',
		],
		action: keepAction(input.link),
		footnote,
	})
}

export function reminderMail(input: { link: string; days: number; scheduledFor: number }): MailContent {
	return writeMail(`Your Playhouse account will be deleted in ${countDays(input.days)}`, {
		heading: `${countDays(input.days)} until your account is deleted`,
		paragraphs: [
			`As you requested, your account will be permanently deleted at ${formatTime(input.scheduledFor)} UTC.`,
			'Changed your mind? You can keep your account until then:',
		],
		action: keepAction(input.link),
		footnote,
	})
}

export function finalWarningMail(input: { link: string; scheduledFor: number }): MailContent {
	return writeMail('Final reminder: your Playhouse account is about to be deleted', {
		heading: 'Your account is about to be deleted',
		paragraphs: [
			`As you requested, your account will be permanently deleted at ${formatTime(input.scheduledFor)} UTC. This is the last email before that.`,
			'Changed your mind? You can still keep your account:',
		],
		action: keepAction(input.link),
		footnote,
	})
}

export function cancellationMail(): MailContent {
	return writeMail('Your Playhouse account stays', {
		heading: 'Your account stays active',
		paragraphs: [
			'The deletion of your account was cancelled. Nothing was deleted, and there is nothing you need to do.',
		],
		action: null,
		footnote:
			'If you did not cancel it, change your password and request the deletion again in your settings.',
	})
}

export function completedMail(): MailContent {
	return writeMail('Your Playhouse account was deleted', {
		heading: 'Your account was deleted',
		paragraphs: [
			'As you requested, your account was permanently deleted. This is the last email you get from us.',
			'Backups keep a copy for a limited time; it is not used, and no deleted account is restored from it. You can sign up again with this address and will get a new account.',
		],
		action: null,
		footnote: 'We removed this address from our database and used it one last time to send you this email.',
	})
}
