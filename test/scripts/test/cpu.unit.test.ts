import { expect, test } from 'vitest'
import { SharedCpu, treeCpuMs } from '../../../scripts/test/cpu.ts'

const stat = (name: string, parent: number, ticks: string) =>
	`1 (${name}) S ${parent} 0 0 0 0 0 0 0 0 0 ${ticks} 20`

test('the CPU time of a process includes ended children and all running descendants, but no other process', () => {
	const stats = new Map([
		[10, stat('node (1)', 1, '1 2 3 4')],
		[11, stat('ffmpeg', 10, '10 20 30 40')],
		[12, stat('bwrap', 11, '100 200 300 400')],
		[13, stat('other', 1, '5 5 5 5')],
	])
	expect(treeCpuMs(10, stats)).toBe(11_100)
	expect(treeCpuMs(14, stats)).toBeNaN()
})

test('files that share a runtime share its CPU time equally while they run', () => {
	let ms = 50
	const shared = new SharedCpu(() => ms)
	shared.start('a')
	ms = 60
	shared.start('b')
	ms = 80
	expect(shared.end('a')).toBe(20)
	ms = 85
	expect(shared.end('b')).toBe(15)
	expect(shared.end('unknown')).toBeNaN()
})
