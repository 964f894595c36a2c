import type { z } from 'zod'
import { FLEET_PROTOCOL, type registerMachine } from '#schema/contract/video/fleet.ts'

/** The registration of a small machine. */
export const aMachine = (): z.input<typeof registerMachine.body> => ({
	fingerprint: crypto.randomUUID(),
	name: 'a machine',
	protocol: FLEET_PROTOCOL,
	kind: 'cpu',
	cores: 2,
	memoryBytes: 2 ** 34,
	ffmpegVersion: '5.1',
	encoders: ['libx264'],
	slots: 1,
})
