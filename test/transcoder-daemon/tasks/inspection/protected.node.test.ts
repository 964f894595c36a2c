/** @module-tag ffmpeg */

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { temporaryFolder } from '../../ffmpeg/programs.ts'
import { element } from '../hostile-files.ts'
import { ffmpeg, makeVideo } from '../make-video.ts'
import { openTrial, tryFile } from '../try-hostile.ts'
import {
	announceSampleAes,
	declareClearLead,
	declareEncrypted,
	makeCenc,
	makeNoise,
	renameEntries,
	scramble,
} from './protected-files.ts'

const folder = await temporaryFolder()
let clear: Buffer
let transport: Buffer
beforeAll(async () => {
	const path = await makeVideo(folder.path, { name: 'clear.mp4', seconds: 2 })
	clear = await readFile(path)
	const stream = join(folder.path, 'clear.ts')
	await ffmpeg('-i', path, '-c', 'copy', stream)
	transport = await readFile(stream)
})
afterAll(() => folder[Symbol.asyncDispose]())

const encrypted = (scheme: string) => ({
	kind: 'rejected',
	message: `this file is encrypted${scheme && ` (${scheme})`}; upload an unprotected copy`,
})

const tryBytes = openTrial(folder.path)

test('noise from encrypted frames with readable headers is rejected', async () => {
	expect(await tryFile((await makeNoise(folder.path)).path, folder.path)).toMatchObject(encrypted('cbcs'))
})

test('encrypted H.264, HEVC, AV1 and AAC is rejected by the scheme’s name, whole or in fragments', async () => {
	for (const { label, path } of await makeCenc(folder.path))
		expect(await tryFile(path, folder.path), label).toMatchObject(encrypted('cenc'))
})

test.each(['cenc', 'cbc1', 'cens', 'cbcs', 'piff'])('a video encrypted by %s is rejected', async (scheme) => {
	expect(await tryBytes(declareEncrypted(clear, 'vide', scheme))).toMatchObject(encrypted(scheme))
})

test('a file of which only the audio is encrypted is rejected', async () => {
	expect(await tryBytes(declareEncrypted(clear, 'soun', 'cbcs'))).toMatchObject(encrypted('cbcs'))
})

test('a track that begins clear and continues encrypted is rejected', async () => {
	expect(await tryBytes(declareClearLead(clear, 'cbcs'))).toMatchObject(encrypted('cbcs'))
})

test('an encrypted file without a scheme is rejected, and an invalid scheme name is not repeated', async () => {
	for (const scheme of [null, '<b>!', '\r\nX:'])
		expect(await tryBytes(declareEncrypted(clear, 'vide', scheme))).toMatchObject(encrypted(''))
})

test.each([
	['vide', 'drmi', 'FairPlay'],
	['soun', 'drms', 'FairPlay'],
	['soun', 'aavd', 'Audible'],
] as const)('a %s track of the type %s is rejected as protected by %s', async (kind, type, system) => {
	expect(await tryBytes(renameEntries(clear, kind, type))).toMatchObject(encrypted(system))
})

test('encrypted WebM is rejected, and WebM with compressed headers is played', async () => {
	const path = await makeVideo(folder.path, {
		name: 'clear.webm',
		args: ['-c:v', 'libvpx', '-deadline', 'realtime', '-c:a', 'libopus'],
	})
	const webm = await readFile(path)
	const encoding = (...parts: Buffer[]) =>
		element('6d80', element('6240', element('5031', 0), element('5032', 1), ...parts))
	const aes = encoding(element('5033', 1), element('5035', element('47e1', 5)))
	expect(await tryBytes(withTrackElement(webm, aes), 'webm')).toMatchObject(encrypted('AES'))
	const unnamed = encoding(element('5033', 1))
	expect(await tryBytes(withTrackElement(webm, unnamed), 'webm')).toMatchObject(encrypted(''))
	const stripped = encoding(element('5033', 0), element('5034', element('4254', 3), element('4255', '')))
	expect(await tryBytes(withTrackElement(webm, stripped), 'webm')).toMatchObject({ kind: 'played' })
})

const VIDEO_PID = 0x100
const AUDIO_PID = 0x101

test.each([
	['video and audio', [VIDEO_PID, AUDIO_PID], 1],
	['only the video', [VIDEO_PID], 1],
	['only the audio', [AUDIO_PID], 1],
	['the beginning of both', [VIDEO_PID, AUDIO_PID], 0.3],
] as const)('a transport stream in which %s is scrambled is rejected', async (_, pids, share) => {
	expect(await tryBytes(scramble(transport, pids, share), 'ts')).toMatchObject(encrypted('scrambled'))
})

test('a transport stream whose scrambling flags are left over from a receiver is played', async () => {
	const bytes = Buffer.from(transport)
	for (let at = 0; at < bytes.length; at += 188)
		if ((bytes.readUInt16BE(at + 1) & 0x1fff) === VIDEO_PID)
			bytes.writeUInt8(bytes.readUInt8(at + 3) | 0x80, at + 3)
	expect(await tryBytes(bytes, 'ts')).toMatchObject({ kind: 'played' })
})

test('a transport stream with SAMPLE-AES is rejected', async () => {
	expect(await tryBytes(announceSampleAes(transport), 'ts')).toMatchObject(encrypted('SAMPLE-AES'))
})

test('a scrambled program stream, as copied from a disc, is rejected', async () => {
	const path = await makeVideo(folder.path, { name: 'disc.vob', rate: '25', args: ['-c:v', 'mpeg2video'] })
	const bytes = await readFile(path)
	expect(await tryFile(path, folder.path)).toMatchObject({ kind: 'played' })
	for (let at = bytes.indexOf('000001e0', 0, 'hex'); at >= 0; at = bytes.indexOf('000001e0', at + 4, 'hex'))
		bytes.writeUInt8(bytes.readUInt8(at + 6) | 0x10, at + 6)
	expect(await tryBytes(bytes, 'vob')).toMatchObject(encrypted('scrambled'))
})

test('encrypted FLV and WMV is rejected', async () => {
	const flv = await readFile(await makeVideo(folder.path, { name: 'clear.flv', args: ['-ar', '44100'] }))
	for (let at = 13; at < flv.length; at += 15 + flv.readUIntBE(at + 1, 3))
		if (flv.readUInt8(at) === 9) flv.writeUInt8(9 | 0x20, at)
	expect(await tryBytes(flv, 'flv')).toMatchObject(encrypted(''))

	const wmv = await readFile(await makeVideo(folder.path, { name: 'clear.wmv', args: ['-c:v', 'wmv2'] }))
	const object = Buffer.concat([Buffer.from('fbb3112223bdd211b4b700a0c955fc6e', 'hex'), Buffer.alloc(24)])
	object.writeUInt8(object.length, 16)
	wmv.writeBigUInt64LE(wmv.readBigUInt64LE(16) + BigInt(object.length), 16)
	wmv.writeUInt32LE(wmv.readUInt32LE(24) + 1, 24)
	const marked = Buffer.concat([wmv.subarray(0, 30), object, wmv.subarray(30)])
	expect(await tryBytes(marked, 'wmv')).toMatchObject(encrypted('Windows Media DRM'))
})

/** Adds an element to the first track. ffmpeg writes these lengths with 8, 2 and 8 bytes. */
function withTrackElement(webm: Buffer, extra: Buffer): Buffer {
	const segment = webm.indexOf('18538067', 0, 'hex')
	// The index names them before.
	const tracks = webm.indexOf('1654ae6b', webm.indexOf('1654ae6b', 0, 'hex') + 4, 'hex')
	const entry = webm.indexOf(0xae, tracks + 6)
	const bytes = Buffer.concat([webm.subarray(0, entry + 9), extra, webm.subarray(entry + 9)])
	bytes.writeUInt16BE(bytes.readUInt16BE(tracks + 4) + extra.length, tracks + 4)
	for (const at of [segment + 4, entry + 1])
		bytes.writeBigUInt64BE(bytes.readBigUInt64BE(at) + BigInt(extra.length), at)
	return bytes
}
