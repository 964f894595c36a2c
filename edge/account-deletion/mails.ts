import { type MailContent, writeMail } from '../mail/templates.ts'

const day = (instant: number): string =>
	new Intl.DateTimeFormat('en-GB', {
		dateStyle: 'long',
		timeStyle: 'short',
		timeZone: 'UTC',
	}).format(instant)

const count = (days: number) => (days === 1 ? '1 day' : `${days} days`)

const keep = (link: string) => ({ label: 'Keep my account', link })

const whatGoes =
	'Deleted are your account, your memberships, sessions, notifications, preferences and points. Posts and comments stay without your name unless you asked for them to go too. Backups hold a copy for a while longer; it is not used, and nobody is brought back from it.'

const footnote =
	'You get this mail because someone signed in to your account asked for its deletion. If that was not you, keep the account and change your password.'

export function confirmationMail(input: { link: string; days: number; scheduledFor: number }): MailContent {
	return writeMail(`Your Playhouse account will be deleted in ${count(input.days)}`, {
		heading: `Your account will be deleted in ${count(input.days)}`,
		paragraphs: [
			`You asked for the deletion of your account. It works as before until ${day(input.scheduledFor)} UTC and is deleted for good then.`,
			whatGoes,
			'Changed your mind? Until then you can keep it:',
		],
		action: keep(input.link),
		footnote,
	})
}

export function reminderMail(input: { link: string; days: number; scheduledFor: number }): MailContent {
	return writeMail(`Your Playhouse account will be deleted in ${count(input.days)}`, {
		heading: `${count(input.days)} until your account is deleted`,
		paragraphs: [
			`As you asked, your account will be deleted for good at ${day(input.scheduledFor)} UTC.`,
			'Changed your mind? Until then you can keep it:',
		],
		action: keep(input.link),
		footnote,
	})
}

export function finalWarningMail(input: { link: string; scheduledFor: number }): MailContent {
	return writeMail('Last call: your Playhouse account is about to be deleted', {
		heading: 'Your account is about to be deleted',
		paragraphs: [
			`As you asked, your account will be deleted for good at ${day(input.scheduledFor)} UTC. This is the last mail before that.`,
			'Changed your mind? You can still keep it:',
		],
		action: keep(input.link),
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
			'If it was not you who cancelled, change your password and ask for the deletion again in your settings.',
	})
}

export function completedMail(): MailContent {
	return writeMail('Your Playhouse account was deleted', {
		heading: 'Your account was deleted',
		paragraphs: [
			'Your account was deleted for good, as you asked. This is the last mail you get from us.',
			'Backups hold a copy for a while longer; it is not used, and nobody is brought back from it. You are free to sign up again with this address; it will be a new account.',
		],
		action: null,
		footnote: 'This address was taken out of our database; it was kept only to send you this mail.',
	})
}
