import { runAll } from './ffmpeg.ts'

/**
 * Makes a video with moving detail and noise: 6.4 Mb/s at 1080p, like a camera. With a key frame every 2 s it can be
 * copied. With one every 10 s it can't be cut into segments, so all of it must be encoded.
 */
export async function makeSource(path: string, seconds: number, standard: boolean): Promise<void> {
	const rate = 30
	const gop = rate * (standard ? 2 : 10)
	await runAll([
		[
			...['-f', 'lavfi', '-i', `testsrc2=size=1920x1080:rate=${rate}:duration=${seconds}`],
			...['-f', 'lavfi', '-i', `sine=frequency=440:sample_rate=48000:duration=${seconds}`],
			...['-vf', 'noise=alls=9:allf=t,format=yuv420p', '-c:v', 'libx264', '-preset', 'veryfast'],
			...['-b:v', '6000k', '-maxrate', '6400k', '-bufsize', '6400k'],
			...['-g', `${gop}`, '-keyint_min', `${gop}`, '-sc_threshold', '0', '-flags', '+cgop'],
			...['-c:a', 'aac', '-b:a', '128k', '-ac', '2', '-movflags', '+faststart', path],
		],
	])
}
