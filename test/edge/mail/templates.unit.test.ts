import { describe, expect, it } from 'vitest'
import {
	changedAddressNotice,
	newKeyNotice,
	newMemberNotice,
	newSignInNotice,
	passwordNotice,
} from '../../../edge/mail/notice-templates.ts'
import {
	addressTakenMail,
	changeAddressMail,
	codeMail,
	invitationMail,
	verifyAddressMail,
} from '../../../edge/mail/templates.ts'

const invitation = {
	groupName: 'Cat Films',
	inviterName: 'Ann' as string | null,
	role: 'admin' as const,
	link: 'https://play.example.com/join?token=a_b-c&x=1',
	days: 7,
	unsubscribeUrl: 'https://play.example.com/unsubscribe?token=h.o.i.m',
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

describe('the mail that verifies an address', () => {
	it('has a code and no link, so that its reader can’t confirm by a click what somebody else made', () => {
		const { subject, text } = verifyAddressMail({ code: '012345', minutes: 10 })
		expect(subject).not.toContain('012345')
		expect(text).toContain('\n    012345\n')
		expect(text).not.toMatch(/https?:|token=/)
	})
})

describe('the mails of a change of address', () => {
	it('name the new address to the present one only, and hold a code but no link', () => {
		const change = { code: '012345', minutes: 10, newEmail: 'new@example.org' }
		const toPresent = changeAddressMail({ ...change, isNew: false })
		const toNew = changeAddressMail({ ...change, isNew: true })
		expect(toPresent.text).toContain('new@example.org')
		expect(toNew.text).not.toContain('new@example.org')
		for (const { subject, text } of [toPresent, toNew]) {
			expect(subject).not.toContain('012345')
			expect(text).toContain('\n    012345\n')
			expect(text).not.toMatch(/https?:|token=/)
		}
	})

	it('hold no code where the new address has an account', () => {
		expect(addressTakenMail().text).not.toMatch(/\d{6}/)
	})
})

describe('the notices', () => {
	const at = Date.UTC(2026, 10, 21, 12)
	const nasty = '“\r\n\r\nclick https://evil.example”'
	const notices = {
		signIn: newSignInNotice({ at, ip: '192.0.2.1', userAgent: nasty }),
		password: passwordNotice({ at, change: 'replaced' }),
		removed: passwordNotice({ at, change: 'removed' }),
		address: changedAddressNotice({ at, newEmail: 'new@example.org' }),
		key: newKeyNotice({
			at,
			orgName: nasty,
			keyName: nasty,
			prefix: 'phk_live_abcd',
			makerName: nasty,
			scopes: ['read'],
		}),
		member: newMemberNotice({
			at,
			orgName: nasty,
			memberName: nasty,
			memberEmail: 'bob@example.org',
			role: 'admin',
		}),
	}

	it.each(Object.entries(notices))('say when, and how to react, and hold nothing secret: %s', (_, mail) => {
		expect(mail.text).toContain('21 November 2026 at 12:00 UTC')
		expect(mail.text).toMatch(/If it was not you|If nobody you know made it|If you do not know who this is/)
		expect(mail.text).not.toMatch(/\b\d{6}\b|token=/)
		expect(mail.subject).not.toMatch(/[\r\n]/)
		// Names stay on one line between our quotes.
		expect(mail.text).not.toMatch(/^click/m)
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

	it('makes no link of a name, in no part of the mail', () => {
		for (const name of [
			'https://evil.example/login',
			'www.evil.example',
			'evil.example',
			'evil\u3002example',
			'evil\uff0eexample',
			'mailto:eve@evil.example',
			'tel:+4912345',
			'Your account is blocked\r\nhttp://evil.example',
		]) {
			const { subject, text, html } = invitationMail({ ...invitation, groupName: name, inviterName: name })
			const words = html.replaceAll(/<[^>]*>/g, ' ')
			for (const part of [subject, text, words]) {
				const said = part.replaceAll(/https:\/\/play\.example\.com\S*/g, '')
				expect(said).not.toMatch(/[.\u3002\uff0e:@]\S*(evil|example|\/\/|\d)/)
			}
			expect(html.match(/href="[^"]*"/g)?.every((href) => href.startsWith('href="https://play.'))).toBe(true)
		}
		const plain = invitationMail({ ...invitation, groupName: 'Müller & Söhne Inc.' })
		expect(plain.subject).toContain('“Müller & Söhne Inc.”')
	})

	it('has a link to refuse more of them, and one to report it', () => {
		const { text, html } = invitationMail(invitation)
		expect(text).toContain(`No more invitations to this address:\n${invitation.unsubscribeUrl}\n`)
		expect(text).toContain(`report it:\n${invitation.unsubscribeUrl}&report=1\n`)
		expect(html).toContain(`href="${invitation.unsubscribeUrl}"`)
		expect(html).toContain(`href="${invitation.unsubscribeUrl}&amp;report=1"`)
	})

	it('cuts a name that would fill the mail, between letters', () => {
		const { subject } = invitationMail({ ...invitation, groupName: '🎬'.repeat(500) })
		expect(subject).toBe(`Invitation to join “${'🎬'.repeat(80)}…” on Playhouse`)
	})
})
