/** A program from npm that generates a client from OpenAPI, and its exact version. */
export type Generator = {
	version: string
	/** Packages that the generated code imports. */
	needs?: Record<string, string>
	/** The arguments that generate the client in a folder. */
	args(document: string, folder: string): string[]
	/** The name of the program, if it differs from that of the package. */
	program?: string
}

/** Versions that run on Node 20. */
export const generators = {
	'openapi-typescript': {
		version: '7.13.0',
		needs: { 'openapi-fetch': '0.17.0' },
		args: (document, folder) => [document, '--output', `${folder}/schema.ts`],
	},
	'@hey-api/openapi-ts': {
		version: '0.95.0',
		program: 'openapi-ts',
		args: (document, folder) => [
			'--input',
			document,
			'--output',
			folder,
			'--client',
			'@hey-api/client-fetch',
		],
	},
	orval: {
		version: '7.13.2',
		args: (document, folder) => [
			...['--input', document, '--output', `${folder}/client.ts`],
			...['--client', 'fetch'],
		],
	},
	'swagger-typescript-api': {
		version: '13.13.0',
		args: (document, folder) => ['generate', '--path', document, '--output', folder, '--name', 'client.ts'],
	},
	oazapfts: {
		version: '7.5.0',
		args: (document, folder) => [document, `${folder}/client.ts`],
	},
} satisfies Record<string, Generator>

export type GeneratorName = keyof typeof generators

export const TYPESCRIPT = '5.9.3'
