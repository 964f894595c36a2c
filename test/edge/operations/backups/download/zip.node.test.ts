import { randomBytes } from 'node:crypto'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { execa } from 'execa'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
	computeZipSize,
	type StoredFile,
	writeDirectory,
	writeLocalHeader,
	type ZipLimits,
	zipLimits,
} from '../../../../../edge/operations/backups/download/zip.ts'
import { Archive } from '../../../../../scripts/operate/restore/archive.ts'
import { needs } from '../../../../support/shared/needs.ts'

const at = Date.UTC(2026, 10, 26, 5, 30)
/** Debian installs it on request only. */
const hasUnzip = !(await execa('unzip', ['-v'], { reject: false })).failed
const proved = needs({ 'npm run prove -- backups': process.env.PROOF_ZIP })

let folder: string
beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), 'playhouse-zip-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Writes a zip file after file, as the download does. Returns its path and its files. */
async function writeZip(contents: Iterable<Buffer>, limits: ZipLimits) {
	const path = join(folder, `${crypto.randomUUID()}.zip`)
	await using file = await open(path, 'w')
	const files: StoredFile[] = []
	let pieces: Uint8Array[] = []
	const flush = async () => {
		await file.writev(pieces)
		pieces = []
	}
	for (const bytes of contents) {
		const name = `backups/chunks/bkp_x/${files.length}`
		const stored = { name, sizeBytes: bytes.length, crc32: crc32(bytes) }
		files.push(stored)
		pieces.push(writeLocalHeader(stored, at), bytes)
		if (bytes.length > 1_000_000 || pieces.length > 1_000) await flush()
	}
	pieces.push(writeDirectory(files, at, limits))
	await flush()
	return { path, files, sizeBytes: (await file.stat()).size }
}

async function expectReadable(path: string, files: readonly StoredFile[]): Promise<void> {
	if (hasUnzip) {
		const tested = await execa('unzip', ['-tq', path])
		expect(tested.stdout).toMatch(/^No errors detected/)
		const listed = await execa('unzip', ['-Z1', path], { maxBuffer: 100_000_000 })
		expect(listed.stdout.split('\n')).toEqual(files.map(({ name }) => name))
	}
	const archive = await Archive.open(path)
	try {
		for (const { name, sizeBytes, crc32: sum } of files) {
			const bytes = await archive.read(name)
			expect([name, bytes.length, crc32(bytes)]).toEqual([name, sizeBytes, sum])
		}
	} finally {
		await archive.close()
	}
}

describe('a zip of stored files', () => {
	test.each([
		['without zip64', zipLimits],
		['with more files than fit', { ...zipLimits, files: 3 }],
		['with files further away than fit', { ...zipLimits, bytes: 250 }],
		['with a table of contents that is further away than fits', { ...zipLimits, bytes: 600 }],
	])('a zip of stored files %s is read by a restore, and by unzip where available', async (_, limits) => {
		const contents = [100, 0, 300, 7].map((length) => randomBytes(length))
		const { path, files, sizeBytes } = await writeZip(contents, limits)
		await expectReadable(path, files)
		expect(computeZipSize(files, limits)).toBe(sizeBytes)
	})

	test('a zip of 70,000 stored files is read by a restore, and by unzip where available', async () => {
		const { path, files, sizeBytes } = await writeZip(
			Array.from({ length: 70_000 }, (_, number) => Buffer.from(String(number))),
			zipLimits,
		)
		if (hasUnzip) {
			const listed = await execa('unzip', ['-Z1', path], { maxBuffer: 100_000_000 })
			expect(listed.stdout.split('\n')).toHaveLength(70_000)
		}
		const archive = await Archive.open(path)
		expect(Buffer.from(await archive.read(files.at(-1)?.name ?? '')).toString()).toBe('69999')
		await archive.close()
		expect(computeZipSize(files)).toBe(sizeBytes)
	})

	test('a zip of more than 4 GiB is read by a restore, and by unzip where available', proved, async () => {
		function* contents() {
			for (let number = 0; number < 70; number++) yield randomBytes(64 * 1024 * 1024)
		}
		const { path, files, sizeBytes } = await writeZip(contents(), zipLimits)
		expect(sizeBytes).toBeGreaterThan(2 ** 32)
		await expectReadable(path, files)
		expect(computeZipSize(files)).toBe(sizeBytes)
	})

	test('a zip with a false table of contents is rejected before memory is reserved', async () => {
		const { path, sizeBytes } = await writeZip([randomBytes(10)], { ...zipLimits, files: 1 })
		await using file = await open(path, 'r+')
		const record = sizeBytes - 98
		const size = Buffer.alloc(8)
		size.writeBigUInt64LE(2n ** 50n)
		await file.write(size, 0, 8, record + 40)
		await expect(Archive.open(path)).rejects.toThrow('the file is shorter than its central directory states')
		size.writeBigUInt64LE(2n ** 60n)
		await file.write(size, 0, 8, record + 40)
		await expect(Archive.open(path)).rejects.toThrow('the central directory of the zip is damaged')
	})
})
