import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { VideoCodec } from '#schema/contract/video/tasks.ts'
import { findPrograms } from '../../../transcoder-daemon/ffmpeg/binary.ts'
import { findEncoderFamily } from '../../../transcoder-daemon/ffmpeg/encoder-args.ts'
import {
	canShareMemory,
	canStayOnHardware,
	hardwareDecoders,
} from '../../../transcoder-daemon/ffmpeg/video-args.ts'
import { findCapabilities } from '../../../transcoder-daemon/machine/capabilities.ts'
import { findDevices } from '../../../transcoder-daemon/machine/devices.ts'
import { readHardware } from '../../../transcoder-daemon/machine/machine.ts'
import { buildSandbox } from '../../../transcoder-daemon/machine/sandbox.ts'
import type { Programs, TaskContext } from '../../../transcoder-daemon/tasks/task.ts'
import type { CorpusItem } from '../../support/shared/corpus-item.ts'
import { videoSpec } from './encoded.ts'
import { hardwareInputs } from './hardware-inputs.ts'

const DEADLINE_SEC = 600

export type HardwareCase = {
	/** For the title of the test: the hardware encoder, and the decoder if hardware decodes. */
	name: string
	codec: VideoCodec
	encoder: string
	context: Partial<TaskContext>
	item: CorpusItem
}

/**
 * Returns the inputs with each hardware encoder of this machine, alone and with the decoder that shares its memory. Throws if
 * there is none, or if a decoder does not work.
 */
export async function findHardwareCases(dir: string): Promise<HardwareCase[]> {
	const found = await findPrograms()
	if (!found) throw new Error('ffmpeg is not installed')
	const { signal } = new AbortController()
	const devices = await findDevices(process.env, signal)
	const sandbox = await buildSandbox({ program: found.ffmpeg, devices, dir, env: process.env }, signal)
	if (!sandbox.isConfining) throw new Error(`there is no sandbox: ${sandbox.gaps.join('\n')}`)
	const programs: Programs = {
		...found,
		confine: (command, access) => sandbox.confine(command, access, DEADLINE_SEC),
	}
	const workDir = join(dir, 'trials')
	await mkdir(workDir)
	const abilities = {
		...{ slots: null, codecs: VideoCodec.options, dataDir: dir },
		...{ remembersTrials: false, ffmpegVersion: 'unknown', sandbox },
	}
	const {
		capabilities,
		trials,
		decoderTrials,
		devices: encoderDevices,
	} = await findCapabilities({ programs, workDir, signal }, abilities)
	const { encoders, decoders = [] } = capabilities
	const hardware = encoders.filter((encoder) => findEncoderFamily(encoder) !== 'software')
	if (hardware.length === 0) {
		const reasons = trials.flatMap(({ encoder, reason }) =>
			reason === null ? [] : [`${encoder}: ${reason}`],
		)
		throw new Error(`no hardware encoder works on this machine\n${reasons.join('\n')}`)
	}
	const failed = decoderTrials.find(({ proved }) => !proved)
	if (failed) throw new Error(`decoding with ${failed.decoder} does not work: ${failed.reason}`)
	return hardware.flatMap((encoder) => {
		const own = hardwareDecoders.filter((decoder) => canShareMemory(decoder, encoder))
		return [null, ...own.filter((decoder) => decoders.includes(decoder))].flatMap((decoder) =>
			hardwareInputs
				.filter(({ video }) => video && (decoder === null || canStayOnHardware(videoSpec(video))))
				.map((item) => ({
					name: decoder ? `${encoder} and ${decoder}` : encoder,
					codec: VideoCodec.parse(encoder.split('_')[0]),
					encoder,
					context: {
						programs,
						threads: readHardware().cores,
						proved: { encoders: [encoder], decoders: decoder ? [decoder] : [], devices: encoderDevices },
					},
					item,
				})),
		)
	})
}
