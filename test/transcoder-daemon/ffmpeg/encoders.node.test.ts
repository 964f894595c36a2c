import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { proveDecoders } from '../../../transcoder-daemon/ffmpeg/decoders.ts'
import { proveEncoders } from '../../../transcoder-daemon/ffmpeg/encoders.ts'
import type { TrialDeps } from '../../../transcoder-daemon/ffmpeg/trial.ts'
import { fakeFfmpeg } from '../fake-ffmpeg.ts'
import { programs } from './programs.ts'

let dir: string
/** Trials without a sandbox; those of a real daemon run in one. */
const depsFor = (ffmpeg: string, more: Partial<TrialDeps> = {}): TrialDeps => ({
	programs: { ...programs, ffmpeg },
	workDir: dir,
	signal: new AbortController().signal,
	...more,
})

beforeEach(async () => {
	dir = await mkdtemp(join(tmpdir(), 'playhouse-'))
})
afterEach(() => rm(dir, { recursive: true, force: true }))

test('software encoders are proved with the real ffmpeg, and each failure is explained', {
	tags: 'ffmpeg',
}, async () => {
	const trials = await proveEncoders(depsFor(programs.ffmpeg))
	for (const encoder of ['libx264', 'libx265', 'libsvtav1'])
		expect(trials.find((trial) => trial.encoder === encoder)).toMatchObject({ proved: true, reason: null })
	for (const trial of trials.filter((trial) => !trial.proved)) expect(trial.reason).toMatch(/\w/)
})

test('unlisted encoders are not tried', async () => {
	const ffmpeg = await fakeFfmpeg(dir, ['libx264'], 'echo frame=12; echo progress=end')
	expect((await proveEncoders(depsFor(ffmpeg))).map((trial) => trial.encoder)).toEqual(['libx264'])
})

test('an encoder trial reports the first error without its memory address', async () => {
	const ffmpeg = await fakeFfmpeg(
		dir,
		['h264_nvenc'],
		'echo "[h264_nvenc @ 0x55c8d522c880] Cannot load libcuda.so.1" >&2; echo "Conversion failed!" >&2; exit 1',
	)
	expect(await proveEncoders(depsFor(ffmpeg))).toMatchObject([
		{ proved: false, reason: 'Cannot load libcuda.so.1' },
	])
})

test('an encoder trial rejects an encoder that exits with 0 after too few frames', async () => {
	const ffmpeg = await fakeFfmpeg(dir, ['libx264'], 'echo frame=3; echo progress=end')
	expect(await proveEncoders(depsFor(ffmpeg))).toMatchObject([
		{ proved: false, reason: 'made 3 of 12 frames' },
	])
})

test('an encoder trial kills a hanging encoder and skips its driver for other codecs', async () => {
	const ffmpeg = await fakeFfmpeg(
		dir,
		['h264_nvenc', 'av1_nvenc', 'hevc_qsv', 'libx264'],
		'case "$*" in *nvenc*) trap "" TERM; while :; do sleep 1; done;; esac; echo frame=12; echo progress=end',
	)
	expect(await proveEncoders(depsFor(ffmpeg, { trialMs: 3_000 }), ['h264', 'hevc', 'av1'])).toMatchObject([
		{ encoder: 'h264_nvenc', proved: false, reason: 'hung for 3 s' },
		{ encoder: 'libx264', proved: true },
		{ encoder: 'hevc_qsv', proved: true },
		{ encoder: 'av1_nvenc', proved: false, reason: 'not tried, as h264_nvenc hung for 3 s' },
	])
})

test('encoder trials cover only the encoders of requested codecs', async () => {
	const all = ['libx264', 'h264_qsv', 'libx265', 'hevc_nvenc', 'libsvtav1', 'av1_qsv', 'libvpx-vp9']
	const ffmpeg = await fakeFfmpeg(dir, all, 'echo frame=12; echo progress=end')
	const names = async (...codecs: ('h264' | 'hevc' | 'av1')[]) =>
		(await proveEncoders(depsFor(ffmpeg), codecs)).map(({ encoder }) => encoder)
	expect(await names('h264')).toEqual(['h264_qsv', 'libx264'])
	expect(await names('h264', 'av1')).toEqual(['h264_qsv', 'libx264', 'av1_qsv', 'libsvtav1'])
	expect(await names('h264', 'hevc', 'av1')).toHaveLength(6)
})

test('encoder trials run software encoders while a hardware encoder runs', async () => {
	// Each waits until the other has started.
	const ffmpeg = await fakeFfmpeg(
		dir,
		['h264_nvenc', 'libx264'],
		`case "$*" in *nvenc*) me=a; other=b;; *) me=b; other=a;; esac; : > ${dir}/$me; while [ ! -e ${dir}/$other ]; do :; done; echo frame=12; echo progress=end`,
	)
	expect((await proveEncoders(depsFor(ffmpeg))).map(({ proved }) => proved)).toEqual([true, true])
})

test('encoder trials stop when the daemon is stopped', async () => {
	const ffmpeg = await fakeFfmpeg(dir, ['libx264'], 'while :; do :; done')
	const stop = new AbortController()
	const trials = proveEncoders(depsFor(ffmpeg, { signal: stop.signal }))
	stop.abort()
	await expect(trials).rejects.toThrow()
})

test('encoder trials decode only on hardware that also encodes, for its encoder', async () => {
	const record = join(dir, 'tried')
	const script = `echo "$*" >> ${record}; echo frame=12; echo progress=end`
	const ffmpeg = await fakeFfmpeg(dir, ['h264_nvenc', 'libx264'], script, ['cuda', 'vaapi', 'qsv'])
	const [software, nvenc] = ['libx264', 'h264_nvenc'].map((encoder) => ({ encoder, device: null }))
	if (!software || !nvenc) throw new Error('no encoders')
	expect(await proveDecoders(depsFor(ffmpeg), [software])).toEqual([])
	await expect(readFile(record)).rejects.toThrow('ENOENT')
	expect(await proveDecoders(depsFor(ffmpeg), [software, nvenc])).toMatchObject([
		{ decoder: 'cuda', proved: true, reason: null },
	])
	const [sample, trial] = (await readFile(record, 'utf8')).split('\n')
	expect(sample).toMatch(/-c:v libx264 .* \S+\/sample\.h264$/)
	expect(trial).toMatch(/-hwaccel cuda .* -i \S+\/sample\.h264 .*scale_cuda.* -c:v h264_nvenc /)
})

test('encoder trials decode with VA-API on the encoding device, and report a missing sample', async () => {
	const record = join(dir, 'tried')
	const script = `echo "$*" >> ${record}; case "$*" in *sample.h264) [ -e ${dir}/space ] || { echo "no space" >&2; exit 1; };; esac; echo frame=12; echo progress=end`
	const ffmpeg = await fakeFfmpeg(dir, ['h264_vaapi'], script, ['vaapi'])
	const encoder = { encoder: 'h264_vaapi', device: '/dev/dri/renderD129' }
	expect(await proveDecoders(depsFor(ffmpeg), [encoder])).toMatchObject([
		{ decoder: 'vaapi', proved: false, reason: 'no space' },
	])
	await writeFile(join(dir, 'space'), '')
	expect(await proveDecoders(depsFor(ffmpeg), [encoder])).toMatchObject([{ decoder: 'vaapi', proved: true }])
	const trial = (await readFile(record, 'utf8')).trim().split('\n').at(-1)
	expect(trial).toMatch(/-init_hw_device vaapi=gpu:\/dev\/dri\/renderD129 .*scale_vaapi.* -c:v h264_vaapi /)
})
