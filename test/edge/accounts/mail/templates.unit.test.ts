import { describe, expect, it } from 'vitest'
import {
	changedAddressNotice,
	newKeyNotice,
	newMemberNotice,
	newSignInNotice,
	passwordNotice,
} from '../../../../edge/accounts/mail/notice-templates.ts'
import {
	addressTakenMail,
	changeAddressMail,
	codeMail,
	invitationMail,
	verifyAddressMail,
} from '../../../../edge/accounts/mail/templates.ts'

const invitation = {
	groupName: 'Cat Films',
	inviterName: 'Ann' as string | null,
	role: 'admin' as const,
	link: 'https://play.example.com/join?token=a_b-c&x=1',
	days: 7,
	unsubscribeUrl: 'https://play.example.com/unsubscribe?token=h.o.i.m',
}

describe('code mails', () => {
	it.each(['sign-in', 'sign-up'] as const)(
		'a code mail shows the code in both bodies and not in the subject: %s',
		(purpose) => {
			const { subject, text, html } = codeMail({ code: '012345', minutes: 10, purpose })
			expect(subject).not.toContain('012345')
			expect(text).toContain('\n    012345\n')
			expect(html).toContain('>012345</p>')
			expect(text).toContain('expires in 10 minutes')
		},
	)

	it('a code mail says whether the code signs in or signs up', () => {
		expect(codeMail({ code: '012345', minutes: 1 }).text).toContain(
			'to sign in. It works once and expires in 1 minute.',
		)
		expect(codeMail({ code: '012345', minutes: 1, purpose: 'sign-up' }).text).toContain(
			'to create your account.',
		)
	})
})

describe('address verification mails', () => {
	it('a verification mail has a code and no link, so one click confirms nobody else’s account', () => {
		const { subject, text } = verifyAddressMail({ code: '012345', minutes: 10 })
		expect(subject).not.toContain('012345')
		expect(text).toContain('\n    012345\n')
		expect(text).not.toMatch(/https?:|token=/)
	})
})

describe('address change mails', () => {
	it('the mails of an address change name the new address to the current one alone, and have no links', () => {
		const change = { code: '012345', minutes: 10, newEmail: 'new@example.org' }
		const toCurrent = changeAddressMail({ ...change, isNew: false })
		const toNew = changeAddressMail({ ...change, isNew: true })
		expect(toCurrent.text).toContain('new@example.org')
		expect(toNew.text).not.toContain('new@example.org')
		for (const { subject, text } of [toCurrent, toNew]) {
			expect(subject).not.toContain('012345')
			expect(text).toContain('\n    012345\n')
			expect(text).not.toMatch(/https?:|token=/)
		}
	})

	it('an address change sends no code to a new address that already has an account', () => {
		expect(addressTakenMail().text).not.toMatch(/\d{6}/)
	})
})

describe('notices', () => {
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
			creatorName: nasty,
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

	it.each(Object.entries(notices))(
		'the notice states the time and the remedy, and contains no secret: %s',
		(_, mail) => {
			expect(mail.text).toContain('21 November 2026 at 12:00 UTC')
			expect(mail.text).toMatch(
				/If this was not you|If nobody you know created this key|If you do not know this person/,
			)
			expect(mail.text).not.toMatch(/\b\d{6}\b|token=/)
			expect(mail.subject).not.toMatch(/[\r\n]/)
			// Names stay on one line between our quotes.
			expect(mail.text).not.toMatch(/^click/m)
		},
	)
})

describe('invitation mails', () => {
	it('an invitation mail names the inviter, the group and the role, and links to the invitation', () => {
		const { subject, text, html } = invitationMail(invitation)
		expect(subject).toBe('Invitation to join “Cat Films” on Playhouse')
		expect(text).toContain('“Ann” invites you to join “Cat Films” on Playhouse as an administrator.')
		expect(text).toContain(`\n${invitation.link}\n`)
		expect(html).toContain('href="https://play.example.com/join?token=a_b-c&amp;x=1"')
		expect(text).toContain('expires in 7 days')
		expect(invitationMail({ ...invitation, inviterName: null }).text).toContain(
			'You have been invited to join',
		)
	})

	it('mails escape and quote hostile names', () => {
		const nasty = `<img src=x onerror="alert(1)">'&\r\n\r\nYour password has expired: https://evil.example ”`
		const { subject, text, html } = invitationMail({ ...invitation, groupName: nasty, inviterName: nasty })
		expect(html).not.toContain('<img')
		expect(html).not.toContain('onerror="')
		expect(subject).not.toMatch(/[\r\n]/)
		expect(text).not.toMatch(/^Your password/m)
		// A name can't close our quotes.
		expect(text.match(/“[^”]*”/g)?.every((quoted) => quoted.includes('alert'))).toBe(true)
	})

	it('mails break up anything in a name that a mail client would turn into a link', () => {
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
				const withoutOurLinks = part.replaceAll(/https:\/\/play\.example\.com\S*/g, '')
				expect(withoutOurLinks).not.toMatch(/[.\u3002\uff0e:@]\S*(evil|example|\/\/|\d)/)
			}
			expect(html.match(/href="[^"]*"/g)?.every((href) => href.startsWith('href="https://play.'))).toBe(true)
		}
		const plain = invitationMail({ ...invitation, groupName: 'Müller & Söhne Inc.' })
		expect(plain.subject).toContain('“Müller & Söhne Inc.”')
	})

	it('an invitation mail has links to unsubscribe and to report the invitation', () => {
		const { text, html } = invitationMail(invitation)
		expect(text).toContain(`Get no more invitations at this address:\n${invitation.unsubscribeUrl}\n`)
		expect(text).toContain(`Report this invitation:\n${invitation.unsubscribeUrl}&report=1\n`)
		expect(html).toContain(`href="${invitation.unsubscribeUrl}"`)
		expect(html).toContain(`href="${invitation.unsubscribeUrl}&amp;report=1"`)
	})

	it('a mail truncates a long name without splitting a character', () => {
		const { subject } = invitationMail({ ...invitation, groupName: '🎬'.repeat(500) })
		expect(subject).toBe(`Invitation to join “${'🎬'.repeat(80)}…” on Playhouse`)
	})
})
