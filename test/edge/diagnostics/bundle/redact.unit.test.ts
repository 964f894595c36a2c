import { expect, test } from 'vitest'
import { redact } from '../../../../edge/diagnostics/bundle/redact.ts'

const secrets = ['smtp://mailer:p%40ss-word-1@mail.internal:587', 'a-fleet-token-of-enough-characters']

test.each([
	['a mail address', 'sent to ada.lovelace+x@mail.example.org today', 'ada.lovelace'],
	['an address with credentials', 'GET https://user:hunter22@db.example.org/x?y=1 failed', 'hunter22'],
	['a signed address', 'https://r2.example/key?X-Amz-Signature=abc123 expired', 'abc123'],
	['a database address', 'libsql://tenant.turso.io refused', 'turso'],
	['an API key', 'phk_live_0123456789abcdef rejected', '0123456789abcdef'],
	['a webhook secret', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZ is old', 'MfKQ9r8'],
	['a key of a provider', 'sk_live_51Habcdefghijk is wrong', '51Habc'],
	['a token', 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOjF9.c2lnbmF0dXJl expired', 'eyJ'],
	['a header', 'Authorization: Bearer abc.def-ghi', 'abc.def'],
	['an IPv4 address', 'connect to 203.0.113.77:443', '203.0.113.77'],
	['an IPv6 address', 'connect to 2001:db8:0:1:aaaa::5 failed', '2001:db8'],
	['a long code', `hash ${'ab12'.repeat(10)} differs`, 'ab12ab12'],
	['a path with a name', 'no such file /home/ada/films/party.mp4', 'ada'],
	['the password of a variable', 'SMTP answered: p@ss-word-1 is wrong', 'p@ss-word-1'],
	['the host of a variable', 'mail.internal does not resolve', 'mail.internal'],
	['a variable', 'token a-fleet-token-of-enough-characters', 'a-fleet-token'],
])('%s is redacted', (_, text, secret) => {
	expect(text).toContain(secret)
	const [redacted] = redact([text], secrets)
	expect(redacted).not.toContain(secret)
	expect(redacted).toMatch(/\[[^\]]+\]/)
})

test('ordinary texts, ids, times and numbers stay as they are', () => {
	const value = {
		message: 'Encoding failed at frame 1200 (libx264): Invalid data found at 12:03:11',
		id: 'mch_01hv0000000000000000000000',
		at: '2026-11-26T03:40:00.000Z',
		nested: [{ count: 3, ok: true, none: null }],
	}
	expect(redact(value, secrets)).toEqual(value)
})
