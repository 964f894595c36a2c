/** @module-tag d1 */
import { describe, expect, test } from 'vitest'
import { formatAttachmentHeader } from '../../../../edge/platform/network/header-values.ts'
import { toFileName } from '../../../../edge/watch/playback/file-name.ts'
import { detectFileType } from '../../../../edge/watch/playback/file-type.ts'

describe('the file name of a download', () => {
	test.each([
		['Lecture 1', 'Lecture 1.mp4'],
		['  Two\r\nlines\t and  blanks ', 'Two lines and blanks.mp4'],
		['"Best" of: 50/50?', '_Best_ of_ 50_50_.mp4'],
		['..\\..\\etc/passwd', '_.._etc_passwd.mp4'],
		['...hidden.', 'hidden.mp4'],
		['電影 🎬', '電影 🎬.mp4'],
		['👨‍👩‍👧', '👨‍👩‍👧.mp4'],
		['evil\u202e4pm.exe', 'evil 4pm.exe.mp4'],
		['half \ud83c of one', 'half of one.mp4'],
		['CON', '_CON.mp4'],
		['aux.film', '_aux.film.mp4'],
		['Conan', 'Conan.mp4'],
		['???', '___.mp4'],
		['\u0000', 'video.mp4'],
		['.', 'video.mp4'],
	])('the file name of a download with the title %j is %j', (title, name) => {
		expect(toFileName(title, 'mp4')).toBe(name)
	})

	test('the file name of a download is truncated between characters to a length for every file system', () => {
		for (const letter of ['x', 'é', '電', '🎬']) {
			const name = toFileName(letter.repeat(255), 'mp4')
			const bytes = new TextEncoder().encode(name).length
			expect(bytes).toBeLessThanOrEqual(204)
			expect(bytes).toBeGreaterThan(200)
			expect(name).toMatch(new RegExp(`^(${letter})+\\.mp4$`, 'u'))
		}
	})
})

describe('Content-Disposition', () => {
	test.each([
		['a b.mp4', 'attachment; filename="a b.mp4"'],
		['Café.mp4', `attachment; filename="Cafe.mp4"; filename*=UTF-8''Caf%C3%A9.mp4`],
		['電影 (1).mp4', `attachment; filename="__ (1).mp4"; filename*=UTF-8''%E9%9B%BB%E5%BD%B1%20%281%29.mp4`],
		[
			'100%25 "a\\b".mp4',
			`attachment; filename="100_25 _a_b_.mp4"; filename*=UTF-8''100%2525%20%22a%5Cb%22.mp4`,
		],
		["it's; x=1.mp4", `attachment; filename="it's; x=1.mp4"`],
	])('Content-Disposition encodes %j so that every client can parse it', (name, header) => {
		expect(formatAttachmentHeader(name)).toBe(header)
		expect(header).toMatch(/^[\x20-\x7e]+$/)
	})
})

describe('detectFileType', () => {
	const bytes = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0))
	test.each([
		['mp4', '\0\0\0\x20ftypisom'],
		['mov', '\0\0\0\x14ftypqt  '],
		['mov', '\0\0\0\x08wide\0\0'],
		['m4a', '\0\0\0\x20ftypM4A '],
		[
			'webm',
			'\x1a\x45\xdf\xa3\x01\0\0\0\0\0\0\x1f\x42\x86\x81\x01\x42\xf7\x81\x01\x42\xf2\x81\x04\x42\xf3\x81\x08\x42\x82\x84webm',
		],
		[
			'webm',
			'\x1a\x45\xdf\xa3\x9f\x42\x86\x81\x01\x42\xf7\x81\x01\x42\xf2\x81\x04\x42\xf3\x81\x08\x42\x82\x84webm',
		],
		[
			'mkv',
			'\x1a\x45\xdf\xa3\xa3\x42\x86\x81\x01\x42\xf7\x81\x01\x42\xf2\x81\x04\x42\xf3\x81\x08\x42\x82\x88matroska',
		],
		['avi', 'RIFF\0\0\0\0AVI LIST'],
		['ts', `G${'\0'.repeat(187)}G${'\0'.repeat(187)}G`],
		['bin', 'Good morning'],
		['bin', ''],
	])('the file type of %s is detected from the first bytes', (extension, text) => {
		expect(detectFileType(bytes(text))).toBe(extension)
	})
})
