import type { Rung } from '#schema/contract/tasks.ts'

export type EncoderFamily = 'software' | 'nvenc' | 'qsv' | 'vaapi' | 'videotoolbox'

export function familyOf(encoder: string): EncoderFamily {
	const suffix = encoder.split('_').at(-1)
	if (suffix === 'nvenc' || suffix === 'qsv' || suffix === 'vaapi' || suffix === 'videotoolbox') return suffix
	return 'software'
}

/** What makes the same codec on any machine. */
export const softwareEncoders = { h264: 'libx264', hevc: 'libx265', av1: 'libsvtav1' } as const

/** Pictures in the memory and the form that the encoder takes. */
export const uploadFilters: Record<EncoderFamily, readonly string[]> = {
	software: ['format=yuv420p'],
	nvenc: ['format=yuv420p'],
	qsv: ['format=nv12'],
	vaapi: ['format=nv12', 'hwupload'],
	videotoolbox: ['format=yuv420p'],
}

/**
 * How one encoder is told what a rung asks for: constant quality under a cap, every group of pictures closed, and no
 * keyframes of its own choice, as those of all rungs must fall together.
 */
export function encoderArgs(rung: Rung, threads: number): string[] {
	const { encoder, maxKbps } = rung
	const cap = ['-maxrate', `${maxKbps}k`, '-bufsize', `${2 * maxKbps}k`]
	// Players of HEVC in MP4 want the parameter sets in the sample description, and this name for it.
	const tag = rung.codec === 'hevc' ? ['-tag:v', 'hvc1'] : []
	// Some of x264's are always waiting for another: it takes half as many again of itself.
	const own = encoder === 'libx264' ? Math.ceil(1.5 * threads) : threads
	return ['-c:v', encoder, ...tag, ...tell(rung, cap), '-threads', String(own)]
}

function tell(rung: Rung, cap: readonly string[]): string[] {
	const { codec, encoder, maxKbps, preset } = rung
	const crf = String(rung.crf)
	const profile = codec === 'h264' ? ['-profile:v', 'high'] : []
	// Hardware that knows no constant quality gets the bit rate that leaves room for peaks below the cap.
	const mean = ['-b:v', `${Math.round(maxKbps * 0.7)}k`]
	switch (encoder) {
		case 'libx264':
			return ['-preset', preset, ...profile, '-crf', crf, ...cap, '-sc_threshold', '0', '-forced-idr', '1']
		case 'libx265': {
			const params = 'scenecut=0:open-gop=0:info=0:repeat-headers=0:log-level=error'
			return ['-preset', preset, '-crf', crf, ...cap, '-forced-idr', '1', '-x265-params', params]
		}
		case 'libsvtav1': {
			// Of itself it takes no keyframes but its own, each `-g` frames; newer ones do, and know no such parameter.
			const params = `mbr=${maxKbps}:scd=0:enable-force-key-frames=1`
			return ['-preset', preset, '-crf', crf, '-svtav1-params', params]
		}
	}
	switch (familyOf(encoder)) {
		case 'nvenc': {
			const quality = ['-preset', 'p5', '-rc', 'vbr', '-cq', crf, '-b:v', '0']
			const closed = ['-forced-idr', '1', '-no-scenecut', '1', '-strict_gop', '1']
			return [...quality, ...profile, ...cap, ...closed]
		}
		case 'qsv':
			return ['-preset', 'medium', ...profile, '-global_quality', crf, ...mean, ...cap, '-forced_idr', '1']
		case 'vaapi':
			return ['-rc_mode', 'VBR', ...profile, ...mean, ...cap]
		case 'videotoolbox':
			return ['-allow_sw', '0', ...profile, ...mean, ...cap]
		default:
			throw new Error(`${encoder} is no encoder that this daemon knows`)
	}
}
