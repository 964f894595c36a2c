/** @module-tag ffmpeg */

import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { needs } from '../../support/shared/needs.ts'
import { programs, temporaryFolder } from '../ffmpeg/programs.ts'
import { rungsIn } from './encoded.ts'
import { expectEveryFrameOnce } from './every-frame.ts'
import { findHardwareCases, type HardwareCase } from './hardware-cases.ts'

const folder = process.env.HARDWARE === 'all' ? await temporaryFolder() : null
afterAll(() => folder?.[Symbol.asyncDispose]())
const cases = folder ? await findCases(folder) : null

async function findCases(folder: Awaited<ReturnType<typeof temporaryFolder>>): Promise<HardwareCase[]> {
	try {
		return await findHardwareCases(folder.path)
	} catch (error) {
		// No hook runs in a file that can't be loaded.
		await folder[Symbol.asyncDispose]()
		throw error
	}
}

test.each(cases ?? [null])(
	'video encoding of $item.name with $name has every frame once',
	needs({ 'hardware; npm run prove -- hardware tests it': cases }),
	async (each) => {
		if (!each?.item.video || !folder) throw new Error('there is nothing to encode')
		const { item, codec, encoder, context } = each
		const path = join(folder.path, item.file)
		await item.make(programs.ffmpeg, path)
		const rungs = rungsIn(each.item.video, codec, encoder)
		const storyboard = { everyFrames: 20, tileWidth: 128, tileHeight: 72, columns: 2 }
		const options = { rungs, storyboard, context }
		const { results } = await expectEveryFrameOnce(item, path, folder.path, options)
		const notes = results.flatMap((result) => result.notes)
		// Others say what was tried with hardware and failed.
		expect(notes.filter((note) => !note.startsWith('continued despite'))).toEqual([])
	},
)
