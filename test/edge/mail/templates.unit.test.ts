import { describe, expect, it } from 'vitest'
import { codeMail, invitationMail } from '../../../edge/mail/templates.ts'

const invitation = {
	groupName: 'Cat Films',
	inviterName: 'Ann' as string | null,
	role: 'admin' as const,
	link: 'https://play.example.com/join?token=a_b-c&x=1',
	days: 7,
}

describe('the mail with a code', () => {
	it.each(['sign-in', 'sign-up'] as const)(
		'shows the code in both bodies and not in the subject: %s',
		(purpose) => {
			const { subject, text, html } = codeMail({ code: '012345', minutes: 10, purpose })
			expect(subject).not.toContain('012345')
			expect(text).toContain('\n    012345\n')
			expect(html).toContain('>012345</p>')
			expect(text).toContain('for 10 minutes')
		},
	)

	it('says what the code is for', () => {
		expect(codeMail({ code: '012345', minutes: 1 }).text).toContain(
			'to sign in. It works once, for 1 minute.',
		)
		expect(codeMail({ code: '012345', minutes: 1, purpose: 'sign-up' }).text).toContain(
			'to create your account.',
		)
	})
})

describe('the invitation', () => {
	it('says who invites whom to what, and where to click', () => {
		const { subject, text, html } = invitationMail(invitation)
		expect(subject).toBe('Invitation to join “Cat Films” on Playhouse')
		expect(text).toContain('“Ann” invites you to join “Cat Films” on Playhouse as an administrator.')
		expect(text).toContain(`\n${invitation.link}\n`)
		expect(html).toContain('href="https://play.example.com/join?token=a_b-c&amp;x=1"')
		expect(text).toContain('open for 7 days')
		expect(invitationMail({ ...invitation, inviterName: null }).text).toContain('You are invited to join')
	})

	it('shows names as names, whatever is in them', () => {
		const nasty = `<img src=x onerror="alert(1)">'&\r\n\r\nYour password has expired: https://evil.example ”`
		const { subject, text, html } = invitationMail({ ...invitation, groupName: nasty, inviterName: nasty })
		expect(html).not.toContain('<img')
		expect(html).not.toContain('onerror="')
		expect(subject).not.toMatch(/[\r\n]/)
		expect(text).not.toMatch(/^Your password/m)
		// Our quotes end where we end them.
		expect(text.match(/“[^”]*”/g)?.every((quoted) => quoted.includes('alert'))).toBe(true)
	})

	it('cuts a name that would fill the mail, between letters', () => {
		const { subject } = invitationMail({ ...invitation, groupName: '🎬'.repeat(500) })
		expect(subject).toBe(`Invitation to join “${'🎬'.repeat(80)}…” on Playhouse`)
	})
})
