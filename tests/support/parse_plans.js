// Reads the output of a planner from stdin, as the PDDL extension of Visual Studio Code does, and prints the plans as JSON.
const { parser } = require(process.argv[2]);
const { URI } = require(require.resolve('vscode-uri', { paths: [process.argv[2]] }));

async function main() {
    let text = '';
    for await (const chunk of process.stdin) text += chunk;
    const read = (name) => require('fs').readFileSync(name, 'utf8');
    const domain = parser.PddlDomainParser.parseText(read(process.argv[3]), URI.file(process.argv[3]));
    const problem = await parser.PddlProblemParser.parseText(read(process.argv[4]), URI.file(process.argv[4]));
    const output = new parser.PddlPlannerOutputParser(domain, problem, { epsilon: 1e-3 });
    for (let at = 0; at < text.length; at += 50) output.appendBuffer(text.slice(at, at + 50)); // in pieces, as from a pipe
    output.onPlanFinished();
    const plans = output.getPlans().map((plan) => ({
        steps: plan.steps.map((step) => `(${step.fullActionName})`),
        metric: plan.metric,
        states: plan.statesEvaluated,
    }));
    console.log(JSON.stringify({ domain: domain.name, problem: problem.name, plans }));
}
main();
