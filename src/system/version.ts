import manifest from '../../package.json' with { type: 'json' }

/** Version of this program, as `GET /info` and `--version` say it. */
export const version: string = manifest.version
