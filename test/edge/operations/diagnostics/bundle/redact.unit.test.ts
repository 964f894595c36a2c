import { expect, test } from 'vitest'
import { redact } from '../../../../../edge/operations/diagnostics/bundle/redact.ts'

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
	['a host in a text', 'the host media.acme.example does not exist', 'acme'],
	['a host with a port', 'connect to cdn.acme.co.uk:8443 failed', 'acme'],
	['an international host', 'xn--mnchen-3ya.xn--p1ai and bücher.example are down', 'cher'],
	['a host with a path', 'GET media.acme.example/party.mp4 failed', 'party'],
	['a path of a server', 'no such file /srv/media-of-acme', 'acme'],
	['a path of a mount', "Error opening '/mnt/nas/customers/acme/x.mov': denied", 'acme'],
	['a path with spaces', 'no such file /home/anna/My holiday.mp4', 'holiday'],
	['a path with spaces in folders', 'cannot read /mnt/nas/v1.2 of Anna/My holiday.mp4: gone', 'nna'],
	['what folding leaves of a path', 'cannot open <path> holiday.mp4: no space', 'holiday'],
	['a path with a drive', 'cannot open C:\\Users\\anna\\clip.mp4', 'anna'],
	['a path with a drive and spaces', 'cannot open d:/My films/of anna.mov', 'anna'],
	['a share', 'cannot open \\\\nas\\anna\\clip', 'anna'],
	['a key of a project', 'Incorrect key: sk-proj-AbCd1234efgh5678', 'AbCd1234'],
	['a key of a chat', 'xoxb-123456789012-abcdefABCDEF', '123456789012'],
	['a key of AWS', 'The key AKIAIOSFODNN7EXAMPLE is unknown', 'IOSFODNN7'],
	['a link-local address', 'connect to fe80::1 failed', 'fe80'],
	['a link-local address with a zone', 'connect to [fe80::1%eth0]:443', 'fe80'],
	['the local address', 'connect to ::1 failed', '::1'],
	['an address without a scheme', 'GET //cdn.example.com/a?sig=deadbeef failed', 'deadbeef'],
	['a query after a path', 'PUT /key?X-Amz-Credential=AKIA123 failed', 'AKIA123'],
	['a query after a name', 'clip.mp4?x=1&y=anna expired', 'anna'],
	['a mail address on this machine', 'sent to anna@localhost', 'anna'],
	['a mail address in quotation marks', 'sent to "anna smith"@example.com', 'anna'],
	['credentials before a host without a dot', 'smtp user:pa55word@mail refused', 'pa55word'],
	['a password by its name', 'password: hunter22', 'hunter22'],
	['a token by its name', 'token=abc123def456 is unknown', 'abc123def456'],
	['a key by its name in JSON', '{"apiKey":"two words","n":1}', 'words'],
	['a signature by its name', 'x-amz-signature = beef12', 'beef12'],
	['a secret by its name', "client_secret: 'abc 12'", 'abc 12'],
	['a credential by its name', 'Credential=AK1/2026', 'AK1'],
	['a cookie', 'Cookie: session=abc123', 'abc123'],
	['a short name of a password', 'user=anna pwd=hunter22', 'hunter22'],
	['another short name of a password', 'pass: hunter22', 'hunter22'],
	['a passphrase', 'passphrase=correct-horse', 'horse'],
	['a code', 'otp: 123456', '123456'],
	['the value of auth', 'smtp_auth=abc12', 'abc12'],
	['a header with a scheme', 'Authorization: Token abc12', 'abc12'],
	['what follows a semicolon', 'password=abc;def12 failed', 'def12'],
	['what follows a comma', 'password=abc,def12', 'def12'],
	['a password after another pair', 'bitrate=100,password=abc12', 'abc12'],
	['a password whose end is cut off', 'password = "abc 12', 'abc 12'],
	['a token in brackets', 'token: [abc123] is unknown', 'abc123'],
	['a header with a token', 'X-Token: Bearer abc.def-ghi', 'abc.def'],
	['a short key of Google', 'API key AIzaSyA1234567 not valid', 'SyA1234567'],
	['the password of a variable', 'SMTP answered: p@ss-word-1 is wrong', 'p@ss-word-1'],
	['the host of a variable', 'mail.internal does not resolve', 'mail.internal'],
	['a variable', 'token a-fleet-token-of-enough-characters', 'a-fleet-token'],
])('the bundle redacts %s', (_, text, secret) => {
	expect(text).toContain(secret)
	const [redacted] = redact([text], secrets)
	expect(redacted).not.toContain(secret)
	expect(redacted).toMatch(/\[[^\]]+\]/)
})

test('redaction keeps the rest of a message after a path or a host', () => {
	const texts = ['cannot open /srv/acme/My film.mp4: no space left', 'media.acme.example answered 503 twice']
	expect(redact(texts, [])).toEqual(['cannot open [path]: no space left', '[host] answered 503 twice'])
})

test('redaction truncates long texts, so that patterns take little time', () => {
	const parts = ['/a ', 'a.', '1:', 'C:\\', ' /a/', 'a-', '::1 ', '<path> ']
	for (const part of [
		...parts,
		'key=a,',
		'key=a;b=',
		'a@',
		'a:a@',
		'"a',
		'//a',
		'?a',
		'?a=',
		'key',
		'key:',
		'key= ',
		'key="a',
	])
		expect(redact(part.repeat(20_000), []).length).toBeLessThan(20_000)
})

test('redaction keeps ordinary texts, ids, times and numbers', () => {
	const value = {
		ratio: 'Frame rate 30000/1001, no audio/video, std::bad_alloc, AAC LC 5.1 at 24/7 fps.',
		model: '@cf/openai/whisper-tiny.en and llama-3.1-8b',
		message: 'Encoding failed at frame 1200 (libx264): Invalid data found at 12:03:11',
		numbers: 'keyframes=250, tokens: 500, signal: 9, design=a, crf=23: what?',
		options: 'keyint=250:min-keyint=25, monkey=1, sign=3, bypass=1, passes=2',
		id: 'mch_01hv0000000000000000000000',
		at: '2026-11-26T03:40:00.000Z',
		nested: [{ count: 3, ok: true, none: null }],
	}
	expect(redact(value, secrets)).toEqual(value)
})
