import type { Rung } from '#schema/contract/video/tasks.ts'

export type EncoderFamily = 'software' | 'nvenc' | 'qsv' | 'vaapi' | 'videotoolbox'

export function findEncoderFamily(encoder: string): EncoderFamily {
	const suffix = encoder.split('_').at(-1)
	if (suffix === 'nvenc' || suffix === 'qsv' || suffix === 'vaapi' || suffix === 'videotoolbox') return suffix
	return 'software'
}

/** Software encoder of each codec, for every machine. */
export const softwareEncoders = { h264: 'libx264', hevc: 'libx265', av1: 'libsvtav1' } as const

/** Filters that move frames into the memory and format of the encoder. */
export const uploadFilters: Record<EncoderFamily, readonly string[]> = {
	software: ['format=yuv420p'],
	nvenc: ['format=yuv420p'],
	qsv: ['format=nv12'],
	vaapi: ['format=nv12', 'hwupload'],
	videotoolbox: ['format=yuv420p'],
}

/**
 * Returns an encoder's arguments for a rung: constant quality under a cap, closed groups of pictures, and no extra
 * keyframes, since those of all rungs must coincide.
 */
export function buildEncoderArgs(rung: Rung, threads: number): string[] {
	const { encoder, maxKbps } = rung
	const cap = ['-maxrate', `${maxKbps}k`, '-bufsize', `${2 * maxKbps}k`]
	// HEVC players require this tag, with the parameter sets in the sample description.
	const tag = rung.codec === 'hevc' ? ['-tag:v', 'hvc1'] : []
	// Some threads of x264 always wait for others, so it gets 50 % more.
	const encoderThreads = encoder === 'libx264' ? Math.ceil(1.5 * threads) : threads
	return ['-c:v', encoder, ...tag, ...rateArgs(rung, cap), '-threads', String(encoderThreads)]
}

function rateArgs(rung: Rung, cap: readonly string[]): string[] {
	const { codec, encoder, maxKbps, preset } = rung
	const crf = String(rung.crf)
	const profile = codec === 'h264' ? ['-profile:v', 'high'] : []
	// Hardware without constant quality gets a mean bit rate with room for peaks below the cap.
	const mean = ['-b:v', `${Math.round(maxKbps * 0.7)}k`]
	switch (encoder) {
		case 'libx264':
			return ['-preset', preset, ...profile, '-crf', crf, ...cap, '-sc_threshold', '0', '-forced-idr', '1']
		case 'libx265': {
			const params = 'scenecut=0:open-gop=0:info=0:repeat-headers=0:log-level=error'
			return ['-preset', preset, '-crf', crf, ...cap, '-forced-idr', '1', '-x265-params', params]
		}
		case 'libsvtav1': {
			// By default it places keyframes only every `-g` frames. Newer versions obey ffmpeg and no longer have this
			// parameter.
			const params = `mbr=${maxKbps}:scd=0:enable-force-key-frames=1`
			return ['-preset', preset, '-crf', crf, '-svtav1-params', params]
		}
	}
	switch (findEncoderFamily(encoder)) {
		case 'nvenc': {
			const quality = ['-preset', 'p5', '-rc', 'vbr', '-cq', crf, '-b:v', '0']
			const closedGops = ['-forced-idr', '1', '-no-scenecut', '1', '-strict_gop', '1']
			return [...quality, ...profile, ...cap, ...closedGops]
		}
		case 'qsv':
			return ['-preset', 'medium', ...profile, '-global_quality', crf, ...mean, ...cap, '-forced_idr', '1']
		case 'vaapi':
			return ['-rc_mode', 'VBR', ...profile, ...mean, ...cap]
		case 'videotoolbox':
			return ['-allow_sw', '0', ...profile, ...mean, ...cap]
		default:
			throw new Error(`this daemon does not support the encoder ${encoder}`)
	}
}
