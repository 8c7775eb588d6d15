/**
 * The variables of a URI template, by name. `{name}` and `{+name}` always have a value; what follows a comma or another
 * operator (`{/name}`, `{?name}`) can be absent. A template that is not known as a literal gives any name.
 */
export type TemplateVariables<Template extends string> = string extends Template
  ? { readonly [name: string]: string }
  : Flat<
      { readonly [Name in Always<Template>]: string } & {
        readonly [Name in Exclude<VariableNames<Template>, Always<Template>>]?: string;
      }
    >;

export type VariableNames<Template extends string> = string extends Template ? string : NamesIn<Expressions<Template>>;

type Expressions<Template extends string> = Template extends `${string}{${infer Expression}}${infer Rest}`
  ? Expression | Expressions<Rest>
  : never;

type Optional = '#' | '.' | '/' | ';' | '?' | '&';

type WithoutOperator<Expression extends string> = Expression extends `${Optional | '+'}${infer List}`
  ? List
  : Expression;

type NamesIn<Expression extends string> = NamesOf<Split<WithoutOperator<Expression>>>;

type Split<List extends string> = List extends `${infer First},${infer Rest}` ? First | Split<Rest> : List;

type NamesOf<Spec extends string> = Spec extends `${infer Name}*`
  ? Name
  : Spec extends `${infer Name}:${number}`
    ? Name
    : Spec;

type Always<Template extends string> = FirstOf<Expressions<Template>>;

type FirstOf<Expression extends string> = Expression extends `${Optional}${string}`
  ? never
  : WithoutOperator<Expression> extends `${infer First},${string}`
    ? NamesOf<First>
    : NamesOf<WithoutOperator<Expression>>;

type Flat<T> = { [Name in keyof T]: T[Name] };
