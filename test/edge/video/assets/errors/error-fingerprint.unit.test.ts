import { expect, test } from 'vitest'
import { foldMessage, groupErrorMessage } from '../../../../../edge/video/assets/errors/error-fingerprint.ts'

test.each([
	['The file ends after 12.5 of 90 seconds.', 'The file ends after <n> of <n> seconds.'],
	['frame 7: pts -12 < 0x1f00aa9b77', 'frame <n>: pts <n> < <hash>'],
	['https://cdn.example.org/a/film.mp4?token=x answered 404', '<url> answered <n>'],
	['cannot open /var/tmp/job-1/source.mp4: no space', 'cannot open <path>: no space'],
	['H264 in source.mp4 has 3 errors', 'H264 in source.mp4 has <n> errors'],
	['no codec for “My Holiday” and "Hotel"', 'no codec for <text> and <text>'],
	['the video can’t be read, it isn’t complete', 'the video can’t be read, it isn’t complete'],
	['task tsk_01hv5w3x7y9z01hv5w3x7y9z01 was lost', 'task <id> was lost'],
	['3f2504e0-4f89-11d3-9a0c-0305e82c3301 is gone', '<id> is gone'],
	['sha 9e107d9d372bb6826bd81d3542a419d6 differs', 'sha <hash> differs'],
	['ada@example.org has\n no  audio', '<address> has no audio'],
])('the fingerprint of an error folds %j', (message, folded) => {
	expect(foldMessage(message)).toBe(folded)
})

test('error messages that differ in words have different fingerprints', async () => {
	const [a, b, c] = await Promise.all(
		['2 of 3 tracks', '7 of 9 tracks', '2 of 3 files'].map(groupErrorMessage),
	)
	expect(a?.fingerprint).toBe(b?.fingerprint)
	expect(a?.fingerprint).not.toBe(c?.fingerprint)
})

test('the fingerprint of an error has at most 300 characters, for a message of any length', () => {
	for (const long of [
		'/a'.repeat(500_000),
		`"${'x'.repeat(500_000)}`,
		'a@'.repeat(500_000),
		'1'.repeat(500_000),
	])
		expect(foldMessage(long).length).toBeLessThanOrEqual(300)
})
