/** Why a configuration file is not changed. The message follows its path. */
export class ConfigRefused extends Error {
  override readonly name = 'ConfigRefused';
}
